import { fdatasync, ftruncate, writev } from 'node:fs'
import { promisify } from 'node:util'
import { freeBytes } from '../../../lib/free-bytes.ts'

/** The disk operations whose failures the writer handles. Tests replace them by ones that fail on demand. */
export interface SegmentIo {
  write(fd: number, buffers: readonly Buffer[], position: number): Promise<number>
  sync(fd: number): Promise<void>
  truncate(fd: number, length: number): Promise<void>
  freeBytes(dir: string): Promise<number>
}

const datasync = promisify(fdatasync)
const truncate = promisify(ftruncate)

export const diskIo: SegmentIo = {
  write: (fd, buffers, position) =>
    new Promise((resolve, reject) => {
      writev(fd, buffers, position, (error, written) => (error ? reject(error) : resolve(written)))
    }),
  sync: (fd) => datasync(fd),
  truncate: (fd, length) => truncate(fd, length),
  freeBytes,
}

/** Writes everything, in as many calls as needed. */
export async function writeAll(io: SegmentIo, fd: number, buffers: readonly Buffer[], position: number): Promise<void> {
  let rest = buffers
  let at = position
  for (;;) {
    let written = await io.write(fd, rest, at)
    at += written
    let whole = 0
    while (whole < rest.length && written >= (rest[whole] as Buffer).length) written -= (rest[whole++] as Buffer).length
    if (whole === rest.length) return
    rest = [(rest[whole] as Buffer).subarray(written), ...rest.slice(whole + 1)]
  }
}
