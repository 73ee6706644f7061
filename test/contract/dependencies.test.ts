import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

interface Locked {
  readonly integrity?: string
  readonly optional?: boolean
  readonly resolved?: string
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
}

const packages: Record<string, Locked> = JSON.parse(
  readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
).packages

it('the page of dependencies is up to date (npm run docs)', async () => {
  const { dependenciesPage } = await import(new URL('../../scripts/dependencies-page.mjs', import.meta.url).href)
  const page = readFileSync(new URL('../../docs/DEPENDENCIES.md', import.meta.url), 'utf8')
  expect(page).toBe(dependenciesPage())
  expect(page).toContain('| `fastify` |')
  expect(page).toContain('| `rrweb` |')
})

it('every package that is installed here is known by its checksum, and so is every one that is not for one kind of machine', () => {
  const here = JSON.parse(readFileSync(new URL('../../node_modules/.package-lock.json', import.meta.url), 'utf8'))
  const unchecked = Object.entries(packages).filter(([at, { integrity }]) => at !== '' && !integrity)
  expect(unchecked.filter(([at]) => at in here.packages)).toEqual([])
  expect(unchecked.filter(([, { optional, os, cpu, libc }]) => !(optional && (os ?? cpu ?? libc)))).toEqual([])
})

it('checksums are strong, and no package is bound to one place', () => {
  const known = Object.values(packages).filter(({ integrity }) => integrity !== undefined)
  expect(known.filter(({ integrity }) => !integrity?.startsWith('sha512-'))).toEqual([])
  expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).toEqual([])
})
