import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { errorsPage } from './errors-page.ts'

describe('docs/ERRORS.md', () => {
  it('says what the table says; if not, run npm run docs', () =>
    expect(readFileSync(new URL('../../docs/ERRORS.md', import.meta.url), 'utf8')).toBe(errorsPage()))
})
