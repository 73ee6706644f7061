import { once } from 'node:events'
import net from 'node:net'

/**
 * A port for a server that is about to start. Not one that the system hands out for connections: such a port may be
 * taken by the time the server listens. Each worker of the test runner has a
 * stretch of its own, and gives no port twice.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < COUNT; tries++) {
    const port = FIRST + (next++ % COUNT)
    if (await isFree(port)) return port
  }
  throw new Error(`No port between ${FIRST} and ${FIRST + COUNT} is free`)
}

const FIRST = 12_000
const COUNT = 20_000
const STRETCH = 5_000
/** Where in the stretch: another process may still hold what it was given. */
const OFFSET = (process.pid * 50) % STRETCH
let next = (Number(process.env.VITEST_POOL_ID ?? 0) * STRETCH + OFFSET) % COUNT

async function isFree(port: number): Promise<boolean> {
  const server = net.createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return true
  } catch {
    return false
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
}
