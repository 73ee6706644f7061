import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createLogger } from '../lib/logger.ts'
import { ClientAddresses } from './client-address.ts'
import { createServer } from './server.ts'

const sockets: Socket[] = []
let app: ReturnType<typeof createServer>
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await app.close()
})

const start = async (trusted: string[] = []) => {
  let refused = 0
  app = createServer({
    log: createLogger('silent'),
    addresses: new ClientAddresses(trusted),
    connections: { most: 3, onRefused: () => refused++ },
  })
  app.get('/known', async () => 'here')
  await app.listen({ host: '127.0.0.1', port: 0 })
  return () => refused
}

/** What is heard on a new connection after a question. */
async function asked(): Promise<string> {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  sockets.push(socket)
  socket.write('GET /known HTTP/1.1\r\nHost: x\r\n\r\n')
  socket.on('error', () => {})
  const [heard] = await once(socket.setEncoding('utf8'), 'data')
  return heard as string
}

test('one address keeps its share of connections; the next is told to come back, and may when one has ended', async () => {
  const refused = await start()
  for (let n = 0; n < 3; n++) expect(await asked()).toMatch(/^HTTP\/1\.1 200/)
  const answer = await asked()
  expect(answer).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 5[\s\S]*"code":"overloaded"/)
  expect(refused()).toBe(1)
  sockets[0]?.destroy()
  let last = ''
  for (let tries = 0; tries < 100 && !last.startsWith('HTTP/1.1 200'); tries++) last = await asked()
  expect(last).toMatch(/^HTTP\/1\.1 200/)
})

test('a trusted proxy has no limit', async () => {
  const refused = await start(['127.0.0.1'])
  for (let n = 0; n < 6; n++) expect(await asked()).toMatch(/^HTTP\/1\.1 200/)
  expect(refused()).toBe(0)
})
