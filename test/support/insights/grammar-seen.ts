/**
 * What of the grammar some queries use: the words that the parser asked for and found, the signs, and the parts of the
 * tree. A construct that is added to the grammar is asked for by the parser at once, so a list of queries that should
 * have every construct can be held against it.
 */
import type { Expression, Query, Select } from '../../../src/insights/hogql/ast.ts'
import { Cursor } from '../../../src/insights/hogql/cursor.ts'
import { parseQuery } from '../../../src/insights/hogql/parse.ts'
import { tokenize } from '../../../src/insights/hogql/tokens.ts'

type Kind = Expression['kind']
type Clause = Exclude<keyof Select, 'kind' | 'marksMore'>

/** The compiler keeps both lists complete. */
export const KINDS: Readonly<Record<Kind, true>> = {
  number: true,
  string: true,
  word: true,
  name: true,
  star: true,
  call: true,
  operator: true,
  not: true,
  minus: true,
  in: true,
  'in cohort': true,
  between: true,
  'is null': true,
  interval: true,
  tuple: true,
  array: true,
  index: true,
  element: true,
  slice: true,
  alias: true,
  lambda: true,
  placeholder: true,
  query: true,
  exists: true,
}
export const CLAUSES: Readonly<Record<Clause, true>> = {
  tables: true,
  values: true,
  distinct: true,
  items: true,
  from: true,
  joins: true,
  arrayJoins: true,
  keepsEmpty: true,
  prewhere: true,
  where: true,
  groupBy: true,
  groupsByAll: true,
  having: true,
  windows: true,
  qualify: true,
  orderBy: true,
  limitBy: true,
  limit: true,
  offset: true,
  withTies: true,
}

export interface Seen {
  /** Every word or row of words that the parser looked for, and those it found. */
  readonly asked: ReadonlySet<string>
  readonly found: ReadonlySet<string>
  readonly signs: ReadonlySet<string>
  /** Kinds of expressions and clauses of SELECT that say something. */
  readonly parts: ReadonlySet<string>
  /** All words as they stand there, in capitals. */
  readonly words: ReadonlySet<string>
}

export function grammarSeen(queries: readonly string[]): Seen {
  const seen = { asked: new Set<string>(), found: new Set<string>(), signs: new Set<string>() }
  const more = { parts: new Set<string>(), words: new Set<string>() }
  const { isWord } = Cursor.prototype
  Cursor.prototype.isWord = function (...words) {
    const isThere = isWord.apply(this, words)
    seen.asked.add(words.join(' '))
    if (isThere) seen.found.add(words.join(' '))
    return isThere
  }
  try {
    for (const query of queries) {
      collect(parsed(query), more.parts)
      for (const { kind, text } of tokenize(query))
        if (kind === 'symbol') seen.signs.add(text)
        else if (kind === 'word') more.words.add(text.toUpperCase())
    }
  } finally {
    Cursor.prototype.isWord = isWord
  }
  return { ...seen, ...more }
}

function parsed(query: string): Query {
  try {
    return parseQuery(query)
  } catch (error) {
    throw new Error(`${query}: ${error}`, { cause: error })
  }
}

const saysNothing = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (value instanceof Map && value.size === 0)

function collect(node: unknown, parts: Set<string>): void {
  if (typeof node !== 'object' || node === null) return
  const inside = node instanceof Map || Array.isArray(node) ? [...node.values()] : Object.values(node)
  if ('kind' in node && typeof node.kind === 'string') {
    if (Object.hasOwn(KINDS, node.kind)) parts.add(node.kind)
    if (node.kind === 'select')
      for (const [clause, value] of Object.entries(node)) if (!saysNothing(value)) parts.add(clause)
  }
  for (const each of inside) collect(each, parts)
}
