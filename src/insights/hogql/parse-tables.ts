/** What stands after FROM: tables, queries, numbers and how they are joined. */
import type { Item, Join, Sample, Table } from './ast.ts'
import { sqlError } from './error.ts'
import type { Grammar } from './grammar.ts'

interface Tables {
  readonly from: Table | null
  readonly joins: readonly Join[]
  readonly arrayJoins: readonly Item[]
  readonly keepsEmpty: boolean
}

export function readTables(grammar: Grammar, item: () => Item): Tables {
  if (!grammar.cursor.takeWord('FROM')) return { from: null, joins: [], arrayJoins: [], keepsEmpty: false }
  return { from: readTable(grammar), ...readJoins(grammar, item) }
}

function readTable(grammar: Grammar): Table {
  const { cursor } = grammar
  const of = cursor.takeSymbol('(') ? readSubquery(grammar) : readNamed(grammar)
  const before = readSample(grammar)
  const alias = cursor.takeWord('AS') || grammar.startsName() ? grammar.name() : null
  const sample = before ?? readSample(grammar)
  if (sample && (of.kind !== 'table' || of.name !== 'events')) throw sqlError('SAMPLE stands after events.')
  return { of, alias, sample: sample?.share === 1 ? undefined : sample }
}

function readNamed(grammar: Grammar): Table['of'] {
  const { cursor } = grammar
  const { place } = cursor
  const parts = [grammar.name()]
  while (cursor.takeSymbol('.')) parts.push(grammar.name())
  const [space = ''] = parts
  const name = (parts.length === 2 && /^posthog$/i.test(space) ? parts.slice(1) : parts).join('.')
  if (!cursor.isSymbol('(')) return { kind: 'table', name, place }
  if (name.toLowerCase() !== 'numbers')
    throw sqlError(`"${name}" is a table function; only tables of the project and numbers(n) can be read.`, place)
  cursor.next()
  const args = cursor.list(() => grammar.expression())
  cursor.expectSymbol(')')
  if (args.length > 2) throw sqlError('numbers takes a count, or a first number and a count.', place)
  return { kind: 'numbers', args }
}

/** SAMPLE 0.1, SAMPLE 1/10, SAMPLE 1/10 OFFSET 1/2. */
function readSample({ cursor }: Grammar): Sample | undefined {
  if (!cursor.isWord('SAMPLE')) return undefined
  const { place } = cursor
  cursor.next()
  const number = (): number => (cursor.peek().kind === 'number' ? Number(cursor.next().text) : Number.NaN)
  const ratio = (): number => number() / (cursor.takeSymbol('/') ? number() : 1)
  const share = ratio()
  const offset = cursor.takeWord('OFFSET') ? ratio() : 0
  if (!(share > 0 && share <= 1 && offset >= 0 && offset < 1))
    throw sqlError('SAMPLE takes a share of the persons, such as 0.1 or 1/10, and OFFSET where it begins.', place)
  return { share, offset }
}

function readSubquery(grammar: Grammar): Table['of'] {
  const query = grammar.query()
  grammar.cursor.expectSymbol(')')
  return { kind: 'query', query }
}

function readJoins(grammar: Grammar, item: () => Item): Omit<Tables, 'from'> {
  const { cursor } = grammar
  const joins: Join[] = []
  const arrayJoins: Item[] = []
  let keepsEmpty = false
  for (;;) {
    const left = cursor.takeWord('LEFT', 'ARRAY', 'JOIN')
    if (left || cursor.takeWord('ARRAY', 'JOIN') || cursor.takeWord('INNER', 'ARRAY', 'JOIN')) {
      if (arrayJoins.length > 0) throw cursor.unexpected('one ARRAY JOIN, with commas between its lists,')
      arrayJoins.push(...cursor.list(item))
      keepsEmpty = left
      continue
    }
    if (cursor.takeSymbol(',')) {
      joins.push({ type: 'CROSS JOIN', table: readTable(grammar), on: null, using: null })
      continue
    }
    const type = readJoinType(grammar)
    if (type === null) return { joins, arrayJoins, keepsEmpty }
    const table = readTable(grammar)
    const on = cursor.takeWord('ON') ? grammar.expression() : null
    const using = on === null && cursor.takeWord('USING') ? readNames(grammar) : null
    if (on === null && using === null && type !== 'CROSS JOIN') throw cursor.unexpected('ON or USING')
    joins.push({ type, table, on, using })
  }
}

const SIDES = ['INNER', 'LEFT', 'RIGHT', 'FULL', 'CROSS']
const HOW = ['ANY', 'ALL', 'ASOF', 'SEMI', 'ANTI']

/** LEFT JOIN, ANY LEFT JOIN, LEFT ANY JOIN, LEFT OUTER JOIN, SEMI LEFT JOIN ... */
function readJoinType({ cursor }: Grammar): string | null {
  const take = (words: readonly string[]) => words.find((word) => cursor.takeWord(word))
  cursor.takeWord('GLOBAL')
  if (![...SIDES, ...HOW, 'JOIN'].some((word) => cursor.isWord(word))) return null
  const before = take(HOW)
  const side = take(SIDES)
  cursor.takeWord('OUTER')
  const how = before ?? take(HOW)
  if (!cursor.takeWord('JOIN')) throw cursor.unexpected('JOIN')
  return `${side ?? 'INNER'} ${how && how !== 'ALL' && side !== 'CROSS' ? `${how} ` : ''}JOIN`
}

function readNames(grammar: Grammar): string[] {
  const bracket = grammar.cursor.takeSymbol('(')
  const names = grammar.cursor.list(() => grammar.name())
  if (bracket) grammar.cursor.expectSymbol(')')
  return names
}
