import { chmod, lstat, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { closeToOthers, handOver } from './hand-over.ts'

let place: string
let folder: string
let outside: string

beforeEach(async () => {
  place = await mkdtemp(path.join(os.tmpdir(), 'footfall-hand-over-'))
  folder = path.join(place, 'data')
  outside = path.join(place, 'outside')
  await mkdir(path.join(folder, 'deep', 'deeper'), { recursive: true })
  await mkdir(outside)
  for (const file of [path.join(folder, 'deep', 'deeper', 'file'), path.join(outside, 'file')]) {
    await writeFile(file, '')
    await chmod(file, 0o644)
  }
  for (const open of [folder, path.join(folder, 'deep'), outside]) await chmod(open, 0o755)
  await symlink(outside, path.join(folder, 'link'))
})
afterEach(() => rm(place, { recursive: true }))

const mode = async (...parts: string[]) => (await lstat(path.join(place, ...parts))).mode & 0o777

it('closes everything in a folder, and nothing that a link leads to', async () => {
  await closeToOthers(folder)
  expect([await mode('data'), await mode('data', 'deep'), await mode('data', 'deep', 'deeper', 'file')]).toEqual([
    0o700, 0o700, 0o600,
  ])
  expect([await mode('outside'), await mode('outside', 'file')]).toEqual([0o755, 0o644])
})

it('goes on where it was cut off: the folder itself is closed last', async () => {
  await chmod(path.join(folder, 'deep'), 0o700)
  await closeToOthers(folder)
  expect(await mode('data', 'deep', 'deeper', 'file')).toBe(0o600)
})

it.runIf(process.geteuid?.() === 0)(
  'gives everything in a folder to a user, and nothing that a link leads to',
  async () => {
    await handOver(folder, { uid: 54_321, gid: 54_322 })
    const owner = async (...parts: string[]) => {
      const { uid, gid } = await lstat(path.join(place, ...parts))
      return [uid, gid]
    }
    for (const theirs of ['.', 'link', 'deep', 'deep/deeper/file'])
      expect(await owner('data', theirs)).toEqual([54_321, 54_322])
    for (const ours of ['outside', 'outside/file']) expect(await owner(ours)).toEqual([0, 0])
  },
)
