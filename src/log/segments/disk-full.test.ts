import { execFileSync } from 'node:child_process'
import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ALL, contents, entry, logFolder, openLog, readerOf, segmentFiles } from '../../../test/support/log-folder.ts'
import { LogUnavailable } from '../port.ts'
import { diskIo, type SegmentIo } from './files/segment-io.ts'

const DISK_BYTES = 4 * 1024 * 1024

interface SmallDisk {
  readonly dir: string
  readonly io: SegmentIo
  /** Makes this much of the disk somebody else's. */
  occupy(bytes: number): Promise<void>
}

/** A file system of 4 MiB where mounting is allowed; elsewhere the real disk behind a quota of that size. */
async function smallDisk(): Promise<SmallDisk> {
  const dir = await logFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', dir], { stdio: 'ignore' })
  } catch {
    return quotaDisk(dir)
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', dir])
  })
  const occupy = async (bytes: number) => {
    const file = path.join(dir, 'somebody-else')
    await rm(file, { force: true })
    if (bytes > 0) await writeFile(file, Buffer.alloc(bytes))
  }
  return { dir, io: diskIo, occupy }
}

function quotaDisk(dir: string): SmallDisk {
  let occupied = 0
  const write: SegmentIo['write'] = async (fd, buffers, position) => {
    const used = (await Promise.all((await segmentFiles(path.join(dir, 'log'))).map((file) => stat(file)))).reduce(
      (sum, { size }) => sum + size,
      occupied,
    )
    const wanted = Buffer.concat(buffers)
    const room = Math.min(wanted.length, DISK_BYTES - used)
    if (room <= 0) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
    return diskIo.write(fd, [wanted.subarray(0, room)], position)
  }
  return {
    dir,
    io: { ...diskIo, write },
    async occupy(bytes) {
      occupied = bytes
    },
  }
}

test('a full disk refuses appends, loses nothing, and takes them again by itself when there is space', async () => {
  const disk = await smallDisk()
  const dir = path.join(disk.dir, 'log')
  await mkdir(dir)
  await disk.occupy(1024 * 1024)
  const log = await openLog(dir, { io: disk.io, segmentBytes: 512 * 1024 })
  const taken: string[] = []
  const refused: unknown[] = []
  for (let i = 0; i < 60; i++)
    await Promise.all(
      Array.from({ length: 4 }, async (_, j) => {
        const text = `${i}/${j} ${'x'.repeat(30_000)}`
        await log.append([entry('a', text)]).then(
          () => taken.push(text),
          (error) => refused.push(error),
        )
      }),
    )
  expect(refused.length).toBeGreaterThan(10)
  for (const error of refused) expect(error).toBeInstanceOf(LogUnavailable)
  expect(log.status()).toMatchObject({ writable: false, reason: expect.stringContaining('ENOSPC') })
  expect(await contents(log, 'a')).toEqual(taken)

  // Somebody else makes space.
  await disk.occupy(0)
  await log.append([entry('a', 'space from elsewhere')])
  taken.push('space from elsewhere')
  expect(log.status().writable).toBe(true)

  // Full again, and the consumer makes space.
  for (let full = false; !full; )
    await log.append([entry('a', 'y'.repeat(100_000))]).then(
      () => taken.push('y'.repeat(100_000)),
      () => {
        full = true
      },
    )
  const reader = readerOf(log)
  const range = await reader.read('a', 0, { ...ALL, records: Math.floor(taken.length / 2) })
  await reader.release('a', range.next)
  await log.append([entry('a', 'space from the consumer')])
  taken.push('space from the consumer')
  await log.close()
  const again = await openLog(dir, { released: { a: range.next } })
  const left = await readerOf(again).read('a', range.next, ALL)
  expect(left.records.map(({ payload }) => payload.toString())).toEqual(taken.slice(range.records.length))
  expect(again.status().cutBytes).toBe(0)
  await again.close()
})
