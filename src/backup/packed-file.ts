import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createGunzip, createGzip } from 'node:zlib'

/** Size and checksum of a file in the manifest, as it is on disk (compressed). */
export interface FileMark {
  readonly bytes: number
  readonly sha256: string
}

/** Writes one file of a backup, records its size and checksum, and returns its name. */
export type WriteFile = (name: string, source: AsyncIterable<Buffer>) => Promise<string>

/** Writes a compressed file, durable when it resolves. Calls `onBytes` with how much was read from the source. */
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
    // The fastest level: text shrinks to a quarter, and a backup should cost a busy machine little CPU.
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

/** The decompressed content of a file. */
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
