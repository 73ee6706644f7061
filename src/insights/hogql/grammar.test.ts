/** Whatever the grammar knows is in the documentation, in the queries that are asked over HTTP and in the generated ones. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { CLAUSES, grammarSeen, KINDS, type Seen } from '../../../test/support/insights/grammar-seen.ts'
import { RandomSql } from '../../../test/support/insights/random-sql.ts'
import { CONSTRUCTS } from '../../../test/support/insights/sql-corpus.ts'
import { drawn } from '../../../test/support/random.ts'
import { COMBINATORS } from './functions.ts'
import { KEYWORD_FUNCTIONS } from './grammar.ts'
import { CAST_TYPES, UNITS } from './parse-call.ts'
import { TRIMS } from './parse-spelled.ts'
import { SIGNS } from './tokens.ts'

/** What stands in a query and not in the tree. */
const WORDS = [...KEYWORD_FUNCTIONS, ...UNITS, ...Object.keys(TRIMS), 'CAST']

const missing = ({ asked, found, signs, parts, words }: Seen): string[] => [
  ...[...asked].filter((each) => !found.has(each)),
  ...SIGNS.filter((sign) => !signs.has(sign)),
  ...[...Object.keys(KINDS), ...Object.keys(CLAUSES)].filter((part) => !parts.has(part)),
  ...WORDS.filter((word) => !words.has(word)),
]

const together = (one: Seen, other: Seen): Seen => ({
  asked: new Set([...one.asked, ...other.asked]),
  found: new Set([...one.found, ...other.found]),
  signs: new Set([...one.signs, ...other.signs]),
  parts: new Set([...one.parts, ...other.parts]),
  words: new Set([...one.words, ...other.words]),
})

/** What is rare is drawn in the end: one round has nearly everything, and what the generator does not know comes in none. */
const ROUND = 4_000
const ROUNDS = 8

describe('every construct of the grammar', () => {
  it('is in a query that is asked over HTTP', () =>
    expect(missing(grammarSeen(CONSTRUCTS.map(({ query }) => query)))).toEqual([]))

  it('is in generated queries', () => {
    const random = new RandomSql(drawn('grammar'))
    let seen = grammarSeen([])
    let left = ['everything']
    for (let round = 0; round < ROUNDS && left.length > 0; round++) {
      seen = together(seen, grammarSeen(Array.from({ length: ROUND }, () => random.query())))
      left = missing(seen)
    }
    expect(left).toEqual([])
  })

  it('is in docs/SQL.md, and nothing else is', () => {
    const page = readFileSync(new URL('../../../docs/SQL.md', import.meta.url), 'utf8')
    const grammar = page.slice(page.indexOf('## Grammar'), page.indexOf('## What differs'))
    const { asked } = grammarSeen(CONSTRUCTS.map(({ query }) => query))
    const known = new Set([...[...asked].flatMap((each) => each.split(' ')), ...WORDS])
    const told = new Set(grammar.match(/\b[A-Z]{2,}\b/g))
    expect([...known].filter((word) => !told.has(word))).toEqual([])
    expect([...told].filter((word) => !known.has(word))).toEqual([])
    expect(SIGNS.filter((sign) => !grammar.includes(sign))).toEqual([])
    for (const type of Object.values(CAST_TYPES).join(' ').split(' ')) expect(grammar).toContain(`\`${type}\``)
    for (const combinator of COMBINATORS) expect(page).toContain(`\`${combinator}\``)
  })
})
