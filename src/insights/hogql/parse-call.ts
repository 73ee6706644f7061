/** Calls, with their windows, and what is written like a call but has words of its own: CASE, CAST, INTERVAL. */
import type { Call, Expression, Place, Window } from './ast.ts'
import { sqlError } from './error.ts'
import type { Grammar } from './grammar.ts'
import { readSpelled } from './parse-spelled.ts'
import { call } from './written-call.ts'

export const UNITS = ['SECOND', 'MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR']

/** From the bracket after the name on. */
export function readCall(grammar: Grammar, name: string, place: Place): Expression {
  const { cursor } = grammar
  if (/^cast$/i.test(name)) return readCast(grammar)
  const spelled = readSpelled(grammar, name, place)
  if (spelled) return spelled
  const first = readArguments(grammar)
  const parametric = cursor.isSymbol('(')
  const { distinct, args } = parametric ? readArguments(grammar) : first
  const parameters = parametric ? first.args : null
  const [only] = args
  // position(part IN text)
  if (/^position/i.test(name) && args.length === 1 && only?.kind === 'in')
    return call(name, [only.right, only.left], place)
  const filter = readFilter(grammar)
  if (filter === null) return { kind: 'call', name, parameters, distinct, args, over: readOver(grammar), place }
  const counted = args[0]?.kind === 'star' ? [] : args
  const filtered = { name: `${name}If`, args: [...counted, filter] }
  return { kind: 'call', ...filtered, parameters, distinct, over: readOver(grammar), place }
}

/** sum(x) FILTER (WHERE condition) is sumIf(x, condition). */
function readFilter(grammar: Grammar): Expression | null {
  const { cursor } = grammar
  if (!cursor.isWord('FILTER') || !cursor.isSymbol('(', 1)) return null
  cursor.next()
  cursor.next()
  cursor.expectWord('WHERE')
  const condition = grammar.expression()
  cursor.expectSymbol(')')
  return condition
}

function readArguments(grammar: Grammar): { distinct: boolean; args: Expression[] } {
  const { cursor } = grammar
  cursor.expectSymbol('(')
  const distinct = cursor.takeWord('DISTINCT')
  if (cursor.isWord('SELECT') || cursor.isWord('WITH')) {
    const query = grammar.query()
    cursor.expectSymbol(')')
    return { distinct, args: [{ kind: 'query', query }] }
  }
  const args = cursor.isSymbol(')') ? [] : cursor.list(() => grammar.aliased())
  cursor.expectSymbol(')')
  return { distinct, args }
}

function readOver(grammar: Grammar): Call['over'] {
  const { cursor } = grammar
  if (!cursor.takeWord('OVER')) return null
  return cursor.isSymbol('(') ? readWindow(grammar) : grammar.name()
}

/** (PARTITION BY ... ORDER BY ... ROWS ...), or (name ...) that extends another window. */
export function readWindow(grammar: Grammar): Window {
  const { cursor } = grammar
  cursor.expectSymbol('(')
  const starts = ['PARTITION', 'ROWS', 'RANGE'].some((word) => cursor.isWord(word))
  const base = !starts && grammar.startsName() ? grammar.name() : null
  const partition = cursor.takeWord('PARTITION', 'BY') ? cursor.list(() => grammar.expression()) : []
  const order = cursor.takeWord('ORDER', 'BY') ? cursor.list(() => grammar.order()) : []
  const frame = readFrame(grammar)
  cursor.expectSymbol(')')
  return { base, partition, order, frame }
}

function readFrame({ cursor }: Grammar): string {
  const unit = ['ROWS', 'RANGE'].find((word) => cursor.takeWord(word))
  if (unit === undefined) return ''
  const bound = (): string => {
    if (cursor.takeWord('CURRENT', 'ROW')) return 'CURRENT ROW'
    const { kind, text } = cursor.peek()
    const whole = kind === 'number' && /^\d{1,9}$/.test(text)
    if (!whole && !cursor.isWord('UNBOUNDED')) throw cursor.unexpected('CURRENT ROW, UNBOUNDED or a whole number')
    cursor.next()
    const side = ['PRECEDING', 'FOLLOWING'].find((word) => cursor.takeWord(word))
    if (side === undefined) throw cursor.unexpected('PRECEDING or FOLLOWING')
    return `${whole ? text : 'UNBOUNDED'} ${side}`
  }
  if (!cursor.takeWord('BETWEEN')) return `${unit} ${bound()}`
  const from = bound()
  cursor.expectWord('AND')
  return `${unit} BETWEEN ${from} AND ${bound()}`
}

/** What values can be cast to, by the function that does it. */
export const CAST_TYPES: Readonly<Record<string, string>> = {
  toString: 'string text varchar char',
  toInt: 'int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 integer bigint smallint',
  toFloat: 'float float32 float64 double real decimal numeric',
  toBool: 'bool boolean',
  toDate: 'date date32',
  toDateTime: 'datetime datetime64 timestamp',
  toUUID: 'uuid',
}
const CONVERSIONS = new Map(
  Object.entries(CAST_TYPES).flatMap(([conversion, names]) => names.split(' ').map((name) => [name, conversion])),
)

function readCast(grammar: Grammar): Expression {
  const { cursor } = grammar
  cursor.expectSymbol('(')
  const of = grammar.expression()
  if (!cursor.takeWord('AS')) {
    // CAST(x, 'Type') says the same.
    cursor.expectSymbol(',')
    const { place } = cursor
    if (cursor.peek().kind !== 'string') throw cursor.unexpected("a type in quotes, such as 'Int64',")
    const type = cursor.next().text
    cursor.expectSymbol(')')
    return castTo(type, of, place)
  }
  const cast = readType(grammar, of)
  cursor.expectSymbol(')')
  return cast
}

/** After AS of a CAST, or after `::`. */
export function readType(grammar: Grammar, of: Expression): Expression {
  const { cursor } = grammar
  const { place } = cursor
  return castTo(readTypeWords(grammar), of, place)
}

function castTo(words: string, of: Expression, place: Place): Expression {
  const name = words.replace(/^Nullable\((.*)\)$/i, '$1').replace(/\(.*$/, '')
  const conversion = CONVERSIONS.get(name.toLowerCase())
  if (conversion === undefined) throw sqlError(`Values cannot be cast to ${JSON.stringify(words)}.`, place)
  return call(conversion, [of], place)
}

function readTypeWords(grammar: Grammar): string {
  const { cursor } = grammar
  const name = grammar.name()
  if (!cursor.takeSymbol('(')) return name
  const inner = cursor.list(() => (cursor.peek().kind === 'number' ? cursor.next().text : readTypeWords(grammar)))
  cursor.expectSymbol(')')
  return `${name}(${inner.join(', ')})`
}

/** After CASE. */
export function readCase(grammar: Grammar): Expression {
  const { cursor } = grammar
  const subject = cursor.isWord('WHEN') ? null : grammar.expression()
  const args: Expression[] = []
  while (cursor.takeWord('WHEN')) {
    const when = grammar.expression()
    cursor.expectWord('THEN')
    const condition: Expression = subject ? { kind: 'operator', operator: '=', left: subject, right: when } : when
    args.push(condition, grammar.expression())
  }
  if (args.length === 0) throw cursor.unexpected('WHEN')
  args.push(cursor.takeWord('ELSE') ? grammar.expression() : { kind: 'word', value: 'NULL' })
  cursor.expectWord('END')
  return call('multiIf', args)
}

const isUnit = (text: string): boolean => UNITS.includes(text.toUpperCase().replace(/S$/, ''))

/** INTERVAL is a name where no count follows. */
export function startsInterval({ cursor }: Grammar): boolean {
  if (!cursor.isWord('INTERVAL')) return false
  const [next, after] = [cursor.peek(1), cursor.peek(2)]
  if (next.kind === 'number' || next.kind === 'string') return true
  if (next.kind === 'symbol') {
    if (next.text === '-') return after.kind === 'number' && isUnit(cursor.peek(3).text)
    return next.text === '(' || next.text === '{'
  }
  if (next.text.toUpperCase() === 'CASE') return true
  return (next.kind === 'word' || next.kind === 'name') && (isUnit(after.text) || /^(?:[.([]|::)$/.test(after.text))
}

/** `count` reads what stands before the unit. */
export function readInterval(grammar: Grammar, count: () => Expression): Expression {
  const { cursor } = grammar
  cursor.expectWord('INTERVAL')
  const given = cursor.peek()
  // INTERVAL '7 day' says both in one text.
  const both = given.kind === 'string' ? /^\s*(-?\d+)\s+([a-z]+)\s*$/i.exec(given.text) : null
  if (both) cursor.next()
  const number: Expression = both ? { kind: 'number', text: both[1] as string } : count()
  const { place } = cursor
  const unit = (both ? (both[2] as string) : cursor.next().text).toUpperCase().replace(/S$/, '')
  if (!UNITS.includes(unit)) throw sqlError(`An interval is counted in ${UNITS.join(', ').toLowerCase()}.`, place)
  return { kind: 'interval', count: number, unit }
}
