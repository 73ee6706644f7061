import { expect, test } from 'vitest'
import { KEY, RecordingLog, startCaptureServer } from '../../../test/support/capture-server.ts'

const EVENT = { api_key: KEY, event: 'a', distinct_id: 'u' }

test('who is inside when the server closes gets an answer, and the connection ends with it', async () => {
  let arrived = () => {}
  let durable = () => {}
  const inside = new Promise<void>((tell) => {
    arrived = tell
  })
  const log = new RecordingLog()
  log.append = () =>
    new Promise<void>((resolve) => {
      durable = resolve
      arrived()
    })
  const server = await startCaptureServer({ log })
  const answer = server.post('/e/', EVENT)
  await inside
  const stopped = server.stop()
  for (let tries = 0; server.app.server.listening && tries < 1_000; tries++)
    await new Promise((done) => setTimeout(done, 5))
  durable()
  const { status, headers } = await answer
  expect([status, headers.get('connection')]).toEqual([200, 'close'])
  await stopped
})

test('an error that nobody expected is told, and the client sees nothing of it', async () => {
  const failed: unknown[] = []
  const server = await startCaptureServer({
    projects: {
      find: () => {
        throw new TypeError('a bug with a secret')
      },
    },
    onFailed: (each) => failed.push(each),
  })
  const answer = await server.post('/e/', EVENT, { origin: 'https://shop.example' })
  expect([answer.status, await answer.json()]).toEqual([
    500,
    { type: 'server_error', code: 'error', detail: 'A server error occurred.', attr: null },
  ])
  expect(answer.headers.get('access-control-allow-origin')).toBe('https://shop.example')
  expect(failed).toMatchObject([{ path: '/e', error: { message: 'a bug with a secret' } }])
  await server.stop()
})
