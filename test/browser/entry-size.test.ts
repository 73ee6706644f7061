import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, it } from 'vitest'
import { buildWebIfNeeded } from '../../scripts/build-web.mjs'

const DIST = path.join(import.meta.dirname, '../../web/dist')
const MOST_BYTES = 120_000

beforeAll(() => buildWebIfNeeded())

/** What a browser loads before it shows anything. Charts, player, SQL editor, menus and schemas of addresses come later. */
it('the scripts of the first page need less than 120 kB, and none of the large libraries', () => {
  const html = readFileSync(path.join(DIST, 'index.html'), 'utf8')
  const files = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, file]) => file ?? '')
  expect(files.some((file) => file.endsWith('.js'))).toBe(true)
  const contents = files.map((file) => readFileSync(path.join(DIST, file)))
  const scripts = contents.filter((_, index) => files[index]?.endsWith('.js'))
  const sizes = scripts.map((content) => gzipSync(content, { level: 9 }).length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_BYTES)
  const text = contents.map((content) => content.toString('utf8')).join('\n')
  for (const mark of ['echarts', 'rr_dataURL', 'cm-editor', 'data-base-ui']) expect(text).not.toContain(mark)
})
