import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const MIB = 1024 * 1024
const LEFT_MIB = 64

/** A file system of a test's own, made of memory. */
interface SmallDisk {
  readonly folder: string
  /** Somebody else writes until almost nothing is free: less than the log and ClickHouse keep, enough for what is being written. */
  fill(): void
  /** And deletes it again. */
  makeRoom(): void
  remove(): void
}

/** Null where mounting is not allowed. */
export function mountSmallDisk(mebibytes: number): SmallDisk | null {
  const mount = mkdtempSync(path.join(os.tmpdir(), 'footfall-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=755`, 'tmpfs', mount], { stdio: 'ignore' })
  } catch {
    rmSync(mount, { recursive: true })
    return null
  }
  const folder = path.join(mount, 'engine')
  mkdirSync(folder)
  const other = path.join(mount, 'somebody-else')
  return {
    folder,
    fill: () => {
      const { bavail, bsize } = statfsSync(mount)
      const blocks = Math.floor((bavail * bsize) / MIB) - LEFT_MIB
      if (blocks > 0)
        execFileSync('dd', ['if=/dev/zero', `of=${other}`, 'bs=1M', `count=${blocks}`], { stdio: 'ignore' })
    },
    makeRoom: () => rmSync(other, { force: true }),
    remove: () => {
      execFileSync('umount', ['-l', mount])
      rmSync(mount, { recursive: true })
    },
  }
}
