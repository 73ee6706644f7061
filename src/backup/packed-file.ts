import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createGunzip, createGzip } from 'node:zlib'

/** What the manifest says of a file: as it lies on the disk, packed. */
export interface FileMark {
  readonly bytes: number
  readonly sha256: string
}

/** Writes one file of a backup, keeps its mark, and returns its name. */
export type WriteFile = (name: string, source: AsyncIterable<Buffer>) => Promise<string>

/** Writes a file, packed and on the disk for good when it resolves. `onBytes` hears how much came in. */
export async function writePacked(
  file: string,
  source: AsyncIterable<Buffer>,
  onBytes: (bytes: number) => void = () => {},
): Promise<FileMark> {
  await mkdir(path.dirname(file), { recursive: true })
  const hash = createHash('sha256')
  let bytes = 0
  const counted = async function* () {
    for await (const part of source) {
      onBytes(part.length)
      yield part
    }
  }
  await pipeline(
    Readable.from(counted(), { objectMode: false }),
    // The quickest level: text shrinks to a quarter, and a backup should take little of a busy machine.
    createGzip({ level: constants.Z_BEST_SPEED, chunkSize: 256 * 1024 }),
    async function* (packed: AsyncIterable<Buffer>) {
      for await (const part of packed) {
        hash.update(part)
        bytes += part.length
        yield part
      }
    },
    createWriteStream(file, { flush: true }),
  )
  return { bytes, sha256: hash.digest('hex') }
}

/** What was written, unpacked. */
export async function* readPacked(file: string): AsyncGenerator<Buffer> {
  const source = createReadStream(file)
  const unpacked = createGunzip({ chunkSize: 256 * 1024 })
  source.on('error', (error) => unpacked.destroy(error))
  try {
    yield* source.pipe(unpacked)
  } finally {
    source.destroy()
  }
}

export async function markOf(file: string): Promise<FileMark> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const part of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
    hash.update(part as Buffer)
    bytes += (part as Buffer).length
  }
  return { bytes, sha256: hash.digest('hex') }
}
