import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { startTestService, TOKENS } from '../support/service.ts'

const isClosed = (url: string) =>
  fetch(url).then(
    () => false,
    () => true,
  )

// Ctrl-C in a terminal comes twice: from the terminal, and from `npm start`. A supervisor may ask again too.
it('asked to stop, and asked again meanwhile, it finishes the request it has begun to read and exits with 0', async () => {
  let service = await startTestService()
  onTestFinished(() => service.stop())
  const body = JSON.stringify({ api_key: TOKENS.one, event: 'last', distinct_id: 'visitor' })
  const sending = request(`${service.url}/i/v0/e/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': body.length, expect: '100-continue' },
  })
  const answered = once(sending, 'response')
  sending.flushHeaders()
  await once(sending, 'continue')

  const ended = service.terminate()
  await service.waitFor(() => isClosed(service.url), 'no new connections')
  process.kill(service.pid, 'SIGTERM')
  sending.end(body)
  const [answer] = (await answered) as [IncomingMessage]
  expect(answer.resume().statusCode).toBe(200)
  expect(await ended).toBe(0)

  service = await startTestService({ data: service.data })
  await service.stored()
  expect((await service.api('/api/environments/1/events/?distinct_id=visitor')).body.results).toHaveLength(1)
})
