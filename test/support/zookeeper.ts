import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePorts } from './nats.ts'

/** Debian's package `zookeeper`: the jar names everything else it needs. */
const JAR = '/usr/share/java/zookeeper.jar'
const JAVA = '/usr/bin/java'
const READY_WITHIN_MS = 60_000

export const HAS_ZOOKEEPER = existsSync(JAR) && existsSync(JAVA)

export interface TestZooKeeper {
  readonly port: number
  stop(): Promise<void>
}

/** A ZooKeeper of the test's own, in a temporary folder, with nothing in it. */
export async function startTestZooKeeper(): Promise<TestZooKeeper> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'footfall-zookeeper-'))
  const [port = 0] = await freePorts(1)
  const config = path.join(folder, 'zoo.cfg')
  await writeFile(
    config,
    `dataDir=${folder}\nclientPort=${port}\nclientPortAddress=127.0.0.1\nadmin.enableServer=false\ntickTime=2000\n`,
  )
  const child = spawn(
    JAVA,
    ['-Xmx128m', '-XX:TieredStopAtLevel=1', '-cp', JAR, 'org.apache.zookeeper.server.ZooKeeperServerMain', config],
    { stdio: 'ignore' },
  )
  const stop = async () => {
    await ended(child)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  const end = Date.now() + READY_WITHIN_MS
  while (!(await answers(port))) {
    if (child.exitCode !== null || Date.now() > end) {
      await stop()
      throw new Error(`ZooKeeper did not start (exit code ${child.exitCode})`)
    }
    await delay(50)
  }
  return { port, stop }
}

/** `srvr` is answered once the server takes sessions. */
async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  let said = ''
  socket.on('data', (chunk) => {
    said += chunk
  })
  socket.on('connect', () => socket.write('srvr'))
  socket.on('error', () => {})
  await once(socket, 'close').catch(() => {})
  return said.includes('Mode: standalone')
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}
