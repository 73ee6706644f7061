import { execFileSync } from 'node:child_process'
import { copyFile, link, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { linkLibraries, packageHome } from './binaries.ts'

let folder: string
let home: string

/** The package as npm unpacks it when it runs no scripts: without its links. */
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'footfall-links-'))
  home = path.join(folder, 'package')
  const original = packageHome(`${process.platform}-${process.arch}`)
  const links: { target: string }[] = JSON.parse(
    await readFile(path.join(original, 'native', 'pg-symlinks.json'), 'utf8'),
  )
  const withoutLinks = new Set(links.map(({ target }) => target))
  for (const entry of await readdir(path.join(original, 'native'), { recursive: true, withFileTypes: true })) {
    const from = path.join(entry.parentPath, entry.name)
    const at = path.relative(original, from)
    await mkdir(path.join(home, path.dirname(at)), { recursive: true })
    if (entry.isFile() && !withoutLinks.has(at)) await sameFile(from, path.join(home, at))
  }
})

/** 60 MB need not be copied. The list of links is: a test changes it. */
const sameFile = (from: string, to: string): Promise<void> =>
  to.endsWith('.json') ? copyFile(from, to) : link(from, to).catch(() => copyFile(from, to))

afterEach(() => rm(folder, { recursive: true, force: true }))

const version = (env: Record<string, string>) =>
  execFileSync(path.join(home, 'native', 'bin', 'postgres'), ['--version'], { env, encoding: 'utf8', stdio: 'pipe' })

it('missing library links are made in the package', async () => {
  expect(() => version({})).toThrow()
  expect(await linkLibraries(home, path.join(folder, 'lib'))).toEqual({})
  expect(version({})).toMatch(/^postgres \(PostgreSQL\) 18/)
})

it('when a link cannot be made in the package, all are made in a folder of ours', async () => {
  const list = path.join(home, 'native', 'pg-symlinks.json')
  const links = JSON.parse(await readFile(list, 'utf8'))
  const unmakeable = { source: 'native/lib/none.so.1', target: 'native/no-such-folder/none.so' }
  await writeFile(list, JSON.stringify([unmakeable, ...links]))
  const env = await linkLibraries(home, path.join(folder, 'lib'))
  expect(Object.values(env)).toEqual([path.join(folder, 'lib')])
  expect(version(env)).toMatch(/^postgres \(PostgreSQL\) 18/)
})

it('an unknown platform is refused with the ones there are', () => {
  expect(() => packageHome('win32-x64')).toThrow(
    /no embedded PostgreSQL for win32-x64, only for linux-x64, linux-arm64/,
  )
})
