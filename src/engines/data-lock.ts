import { randomBytes } from 'node:crypto'
import { mkdir, readdir, realpath, rename, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { socketDirectory } from './socket-directory.ts'

/**
 * One Footfall at a time uses a data folder. The lock is a listening Unix socket: the system closes it when its process
 * ends, in whatever way, and a successful connection shows that the holder is alive.
 *
 *   trying    our socket, under a new name, is in the folder and answers "trying"; we connect to all the others
 *             -> held      none of them is alive (dead ones are removed: their names are never used again)
 *             -> refused   one answers "held", or is alive and does not answer
 *             -> trying    one answers "trying" too: ours is removed, and after a random pause we try again
 *   held      our socket answers "held"
 *             -> released  `release()`, or the process ended
 *
 * Of two contenders the one whose socket appears later sees the other's, so both can never hold. A socket gets its
 * final name only once it listens; before that a connection would be refused as if it were dead.
 */
export interface DataLock {
  release(): Promise<void>
}

export class DataFolderInUse extends Error {
  override name = 'DataFolderInUse'
}

const ATTEMPTS = 50
const ANSWER_WITHIN_MS = 2_000

export const acquireDataLock = (dataDir: string): Promise<DataLock> =>
  acquireFolderLock(
    dataDir,
    (holder) =>
      `The data folder ${dataDir} is in use by another Footfall (${holder}). Stop that one, or set FOOTFALL_DATA to another folder.`,
  )

/** The same for any folder. `refusal` makes the error message. */
export async function acquireFolderLock(guarded: string, refusal: (holder: string) => string): Promise<DataLock> {
  await mkdir(guarded, { recursive: true, mode: 0o700 })
  const folder = path.join(await realpath(guarded), 'lock')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const directory = await socketDirectory(folder, 'new-00000000')
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const lock = await tryOnce(directory, refusal)
    if (lock) return lock
    await delay(5 + Math.random() * 50)
  }
  throw new DataFolderInUse(refusal('several that try at once'))
}

async function tryOnce(directory: string, refusal: (holder: string) => string): Promise<DataLock | null> {
  const name = randomBytes(4).toString('hex')
  const claim = await publish(directory, name)
  if (!claim) return null
  let rivals = 0
  for (const other of (await readdir(directory)).filter((found) => /^[0-9a-f]{8}$/.test(found) && found !== name)) {
    const answer = await ask(path.join(directory, other))
    if (answer === 'dead') await rm(path.join(directory, other), { force: true })
    else if (answer === 'trying') rivals += 1
    else {
      await claim.withdraw()
      throw new DataFolderInUse(refusal(answer))
    }
  }
  if (rivals > 0) {
    await claim.withdraw()
    return null
  }
  claim.hold()
  // Sockets of processes that ended before theirs had its final name. A live one loses its name and tries again.
  for (const left of await readdir(directory))
    if (left.startsWith('new-')) await rm(path.join(directory, left), { force: true })
  return { release: claim.withdraw }
}

interface Claim {
  hold(): void
  withdraw(): Promise<void>
}

async function publish(directory: string, name: string): Promise<Claim | null> {
  let answer = 'trying'
  const server = createServer((peer) => peer.on('error', () => {}).end(answer))
  const [draft, final] = [path.join(directory, `new-${name}`), path.join(directory, name)]
  await listening(server, draft)
  server.unref()
  const withdraw = async () => {
    await rm(final, { force: true })
    await new Promise((done) => server.close(done))
  }
  try {
    await rename(draft, final)
  } catch {
    await withdraw()
    return null
  }
  return {
    hold: () => {
      answer = `process ${process.pid}`
    },
    withdraw,
  }
}

const listening = (server: Server, at: string) =>
  new Promise<void>((done, fail) => server.once('error', fail).listen(at, done))

/**
 * The answer of a socket's owner, or 'dead'. A suspended or overloaded owner is not dead: the system accepts our
 * connection.
 */
async function ask(socket: string): Promise<string> {
  return await new Promise((done) => {
    let heard = ''
    const peer = connect(socket)
    peer.setTimeout(ANSWER_WITHIN_MS, () => {
      done('a process that does not answer')
      peer.destroy()
    })
    peer.on('data', (text) => {
      heard += text
    })
    // Closed without an answer: it was removed or its process is ending. The next try finds out which.
    const closed = () => done(heard || 'trying')
    peer.on('end', closed)
    peer.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNRESET') closed()
      else done(code === 'ECONNREFUSED' || code === 'ENOENT' ? 'dead' : `a process that does not answer: ${code}`)
    })
  })
}
