import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from './free-port.ts'

/** A ZooKeeper of the test's own, in a temporary folder. Start it in `beforeAll`, stop it in `afterAll`. */
export interface TestZooKeeper {
  readonly port: number
  stop(): Promise<void>
}

const LIBRARY = '/usr/share/java/zookeeper.jar'
const READY_WITHIN_MS = 300_000
/** A ZooKeeper that is only just starting may take a connection and never answer it: another one is tried then. */
const ANSWER_WITHIN_MS = 10_000

export async function startTestZooKeeper(): Promise<TestZooKeeper> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'footfall-zookeeper-'))
  const port = await freePort()
  const settings = {
    dataDir: path.join(folder, 'data'),
    clientPort: port,
    clientPortAddress: '127.0.0.1',
    maxSessionTimeout: 120_000,
    'admin.enableServer': false,
    '4lw.commands.whitelist': 'srvr',
  }
  const file = path.join(folder, 'zoo.cfg')
  await writeFile(
    file,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  const child = spawn('java', ['-Xmx128m', '-cp', LIBRARY, 'org.apache.zookeeper.server.ZooKeeperServerMain', file], {
    stdio: 'ignore',
  })
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    }
    await rm(folder, { recursive: true, force: true })
  }
  for (const end = Date.now() + READY_WITHIN_MS; !(await serves(port)); await delay(50))
    if (child.exitCode !== null || Date.now() > end) {
      await stop()
      throw new Error('ZooKeeper was not ready in time')
    }
  return { port, stop }
}

async function serves(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1').on('error', () => {})
  socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy())
  socket.end('srvr')
  return (await text(socket).catch(() => '')).includes('Mode: standalone')
}
