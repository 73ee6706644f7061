import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** A file system of a test's own, made of memory. */
interface SmallDisk {
  readonly folder: string
  /** Somebody else writes until not one byte is free. */
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
  const folder = path.join(mount, 'house')
  mkdirSync(folder)
  const other = path.join(mount, 'somebody-else')
  return {
    folder,
    // dd ends with an error when the disk is full, which is the point.
    fill: () => execFileSync('sh', ['-c', 'dd if=/dev/zero of="$0" bs=1M 2>/dev/null || true', other]),
    makeRoom: () => rmSync(other, { force: true }),
    remove: () => {
      execFileSync('umount', ['-l', mount])
      rmSync(mount, { recursive: true })
    },
  }
}
