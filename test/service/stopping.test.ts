import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { withEngines } from '../../src/cli/connections.ts'
import { sql as ch } from '../../src/engines/clickhouse/index.ts'
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

it('neither a connection without a request, half a request nor a long question keeps it from stopping', async () => {
  const service = await startTestService()
  onTestFinished(() => service.stop())
  const { hostname, port } = new URL(service.url)
  const [unused, half] = [connect(Number(port), hostname), connect(Number(port), hostname)]
  for (const socket of [unused, half]) {
    socket.on('error', () => {})
    await once(socket, 'connect')
  }
  half.write('GET / HTTP/1.1\r\nHost: x\r\n')
  const query =
    'select sum(cityHash64(x, y)) from (select arrayJoin(range(100000)) as x) as a cross join (select arrayJoin(range(1000000)) as y) as b'
  const cut = service.api('query/', { body: { query: { kind: 'HogQLQuery', query } } }).then(
    () => false,
    () => true,
  )
  await service.waitFor(async () => /^footfall_questions_running [1-9]/m.test((await service.api('/metrics')).text))
  expect(await service.terminate()).toBe(0)
  expect(await cut).toBe(true)
})

it('a run of the deletions ends with the service and says so', async () => {
  const service = await startTestService()
  onTestFinished(() => service.stop())
  await service.capture({ event: 'x', distinct_id: 'leaving' })
  await service.stored()
  await service.api('persons/bulk_delete/', { body: { distinct_ids: ['leaving'], delete_events: true } })
  await withEngines('export', { data: service.data, project: 1 }, async ({ clickhouse }) => {
    // A change of the table then waits for ever.
    await clickhouse.command('SYSTEM STOP MERGES events')
    const run = service.cli('deletions', 'run')
    const changes = async () =>
      (await clickhouse.query(ch`SELECT 1 FROM system.mutations WHERE table = 'events' AND is_done = 0`)).rows
    await expect.poll(changes).toHaveLength(1)
    const ended = service.terminate()
    expect(await run).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining('What was done remains done') })
    expect(await ended).toBe(0)
  })
  expect(service.output()).not.toMatch(/request failed|did not stop cleanly/)
})
