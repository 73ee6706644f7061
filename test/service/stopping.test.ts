import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { processTree, sendSignal } from '../support/process-tree.ts'
import { startTestService, TOKENS } from '../support/service.ts'

const isClosed = (url: string) =>
  fetch(url).then(
    () => false,
    () => true,
  )

/** As a terminal does: to the service, and to what it started in the same process group. */
function pressCtrlC(service: number): void {
  const tree = processTree(service)
  const own = tree.filter(({ group }) => group === tree[0]?.group)
  sendSignal('SIGINT', own.reverse())
}

// It comes twice from one Ctrl-C: from the terminal, and from `npm start`.
it('Ctrl-C, and again meanwhile: it finishes the request it has begun to read, ends its engines and exits with 0', async () => {
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

  pressCtrlC(service.pid)
  const ended = service.terminate()
  await service.waitFor(() => isClosed(service.url), 'no new connections')
  pressCtrlC(service.pid)
  sending.end(body)
  const [answer] = (await answered) as [IncomingMessage]
  expect(answer.resume().statusCode).toBe(200)
  expect(await ended).toBe(0)
  expect(service.output()).not.toMatch(/crashed|did not stop cleanly/)

  service = await startTestService({ data: service.data })
  await service.stored()
  expect((await service.api('/api/environments/1/events/?distinct_id=visitor')).body.results).toHaveLength(1)
})
