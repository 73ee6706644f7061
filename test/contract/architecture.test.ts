import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const NAMED = /`([\w./-]+\.(?:ts|tsx|mjs|sql|css))`/g

const files = ['src', 'web/src', 'test', 'scripts', 'bench'].flatMap((folder) =>
  readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' }).map((name) => `/${folder}/${name}`),
)

it.each(['docs/ARCHITECTURE.md', 'CONTRIBUTING.md'])('every file that %s names exists', (page) => {
  const named = [...readFileSync(`${ROOT}${page}`, 'utf8').matchAll(NAMED)].map(([, name]) => name)
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name) => !files.some((file) => file.endsWith(`/${name}`)))).toEqual([])
})
