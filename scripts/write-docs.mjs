// `npm run docs`: writes the pages of docs/ that are made from source. Tests compare each of them with what this
// writes.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { dependenciesPage } from './dependencies-page.mjs'
import { buildIfNeeded, installIfNeeded, root } from './prepare.mjs'

installIfNeeded()
buildIfNeeded()
const { errorsPage } = await import(new URL('../dist/http/errors-page.js', import.meta.url).href)
const { sqlPage } = await import(new URL('../dist/insights/hogql/sql-page.js', import.meta.url).href)
const sql = sqlPage(readFileSync(path.join(root, 'docs', 'SQL.md'), 'utf8'))

const pages = { 'ERRORS.md': errorsPage(), 'DEPENDENCIES.md': dependenciesPage(), 'SQL.md': sql }
for (const [name, text] of Object.entries(pages)) {
  writeFileSync(path.join(root, 'docs', name), text)
  console.log(`wrote docs/${name}`)
}
