import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sqlPage } from './sql-page.ts'

describe('docs/SQL.md', () => {
  it('lists the tables, fields and functions there are; if not, run npm run docs', () => {
    const page = readFileSync(new URL('../../../docs/SQL.md', import.meta.url), 'utf8')
    expect(page).toBe(sqlPage(page))
  })
})
