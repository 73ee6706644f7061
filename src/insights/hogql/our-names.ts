/**
 * Names of a client become names of ours: whatever it was called, what reaches the engine is letters, digits and
 * underscores. When the engine complains about one, it is turned back.
 */
import { type Fragment, ident } from '../../engines/clickhouse-sql.ts'

const encoded = (name: string): string =>
  name.replace(/[^A-Za-z0-9]/gu, (char) => `_${(char.codePointAt(0) as number).toString(16)}_`)

const decoded = (name: string): string =>
  name.replace(/_([0-9a-f]{1,6})_/g, (_, code: string) => {
    const point = Number.parseInt(code, 16)
    return point <= 0x10ffff ? String.fromCodePoint(point) : ''
  })

export const ourName = (name: string): Fragment => ident(`u_${encoded(name)}`)

const LONGEST_FIELD = 60

/** The name of a field that a view selects, by its number. */
export const fieldName = (number: number, chain: readonly string[]): string =>
  `f${number}_${encoded(chain.join('.').slice(0, LONGEST_FIELD))}`

/** The engine's words with the client's names in them. */
export const inTheirNames = (words: string): string =>
  words
    .replace(/`/g, '')
    .replace(/\b__table\d+\./g, '')
    .replace(/\b(?:t\d+\.)?f\d+_(\w+)/g, (_, name: string) => decoded(name))
    .replace(/\b(?:t\d+\.)?u_(\w+)/g, (_, name: string) => decoded(name))
