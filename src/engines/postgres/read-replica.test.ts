import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { createLogger } from '../../lib/logger.ts'
import { ReadReplica } from './read-replica.ts'

/** Two databases with different rows stand for a primary and a replica that is behind: which was asked can be told. */
let primary: TestPostgres
let replica: TestPostgres
beforeAll(async () => {
  primary = await startTestPostgres()
  replica = await startTestPostgres()
  for (const [name, { sql }] of [
    ['primary', primary],
    ['replica', replica],
  ] as const)
    await sql`INSERT INTO organizations (name) VALUES (${name})`
})
afterAll(async () => {
  vi.useRealTimers()
  await Promise.all([primary?.stop(), replica?.stop()])
})

it('reads go to the replica while it answers, to the primary while it does not, and to the replica again', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const server = await replicaServer()
  const { user, password, database } = replica.embedded.connection
  const url = `postgres://${user}:${password}@127.0.0.1:${server.port}/${database}`
  const reads = new ReadReplica({ primary: primary.sql, server: { url }, log: createLogger('silent') })
  const asked = async () => {
    // As if the last look was long ago.
    vi.setSystemTime(Date.now() + 60_000)
    const rows = await reads.reading((sql) => sql<{ name: string }[]>`SELECT name FROM organizations`).catch(() => [])
    return rows[0]?.name
  }
  // It must answer in time to be asked.
  await expect.poll(asked).toBe('replica')
  await expect.poll(asked).toBe('replica')
  server.close()
  await expect.poll(asked).toBe('primary')
  await server.open()
  await expect.poll(asked).toBe('replica')
  await reads.close()
  server.close()
})

/** The replica on a port that can be closed and opened again. */
async function replicaServer() {
  const socket = path.join(replica.embedded.connection.host, '.s.PGSQL.5432')
  const open = new Set<Socket>()
  let server: Server
  const listen = async (port: number) => {
    server = createServer((client) => {
      const engine = connect(socket)
      for (const side of [client, engine]) {
        open.add(side)
        side.on('error', () => {}).once('close', () => open.delete(side))
      }
      client.pipe(engine).pipe(client)
    })
    await once(server.listen(port, '127.0.0.1'), 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    return address.port
  }
  const port = await listen(0)
  return {
    port,
    open: () => listen(port),
    close: () => {
      server.close()
      for (const side of open) side.destroy()
    },
  }
}
