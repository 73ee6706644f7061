import { type Fragment, ident, join, sql } from '../../engines/clickhouse-sql.ts'
import { anyOf } from '../sql/series.ts'
import type { Call, Expression, Window } from './ast.ts'
import { boundedArguments } from './bounded-calls.ts'
import { collectsOf, sizeOf, withinCollected } from './collected.ts'
import { numberOf } from './compared-sides.ts'
import type { Use } from './comparisons.ts'
import { didYouMean } from './did-you-mean.ts'
import { sqlError } from './error.ts'
import { FUNCTIONS, isOfNumbers, knownFunction, nullsOf } from './functions.ts'
import { SPECIAL_NAMES, specialCall } from './special-calls.ts'
import { mayBeNull, plain, type Values } from './values.ts'
import type { Field } from './view.ts'

/** Comparisons as calls mean what they mean as operators. */
const COMPARISONS: Readonly<Record<string, string>> = {
  equals: '=',
  notequals: '!=',
  less: '<',
  lessorequals: '<=',
  greater: '>',
  greaterorequals: '>=',
  like: 'LIKE',
  ilike: 'ILIKE',
  notlike: 'NOT LIKE',
  notilike: 'NOT ILIKE',
}

/** Windows that look at another row, which may not be there: then they are NULL, not the default of the type. */
const OTHER_ROW = new Set(['lag', 'lead', 'lagInFrame', 'leadInFrame', 'first_value', 'last_value', 'nth_value'])

/** Calls in the expressions of one SELECT. */
export class CallCompiler {
  readonly #values: Values

  constructor(values: Values) {
    this.#values = values
  }

  field(call: Call, use: Use): Field {
    const star = call.args.length === 1 && call.args[0]?.kind === 'star'
    if (star && !/^count$/i.test(call.name)) throw sqlError(`${call.name}(*) means nothing; only count(*) does.`)
    const args = star ? [] : call.args
    const lower = call.name.toLowerCase()
    const meaning = this.#meaning(lower, call.name, args, use)
    if (meaning) return meaning
    const special = specialCall(
      call.name,
      args,
      (each) => this.#values.argument(each).value,
      this.#values.around.context.timezone,
    )
    if (special) this.#values.around.calls.note(knownFunction(call.name) ?? call.name, call.place)
    if (special) return { value: special, kind: 'other', nullable: !/^(?:now|now64|today|yesterday)$/.test(lower) }
    const name = knownFunction(call.name)
    if (name === undefined) throw unknownFunction(call)
    return this.#known(name, call, args)
  }

  /** What the language defines by itself. */
  #meaning(lower: string, name: string, args: readonly Expression[], use: Use): Field | undefined {
    if (lower === 'matchesaction') return sure(this.#matchesAction(args))
    if (lower === 'concat') return this.concat(args)
    const operator = Object.hasOwn(COMPARISONS, lower) ? COMPARISONS[lower] : undefined
    const isIn = lower === 'in' || lower === 'notin'
    if (operator === undefined && !isIn) return undefined
    const [left, right] = args
    if (!left || !right || args.length !== 2) throw sqlError(`${name} takes two arguments.`)
    if (isIn) return this.#values.field({ kind: 'in', not: lower === 'notin', left, right }, use)
    return sure(this.#values.compare(operator as string, left, right, use))
  }

  /** Texts one after the other; what is missing adds nothing. */
  concat(args: readonly Expression[]): Field {
    this.#values.around.calls.count('concat')
    const parts = args.map((each) => {
      const field = this.#values.field(each)
      return mayBeNull(field) ? sql`ifNull(toString(${field.value}), '')` : sql`toString(${field.value})`
    })
    return sure(sql`concat(${join(parts, ', ')})`)
  }

  #known(name: string, call: Call, args: readonly Expression[]): Field {
    this.#values.around.calls.count(name, call.place)
    const conditions = conditionsAt(name, args.length)
    const given = args.map((written, i) => ({
      written,
      field: this.#values.argument(written, conditions(i) ? 'condition' : 'value'),
    }))
    const values = isOfNumbers(name)
      ? given.map(({ field }) => numberOf(field))
      : boundedArguments(
          name,
          given.map(({ written, field }) => ({ written, value: field.value })),
          this.#values.isInLambda,
        )
    const otherRow = call.over !== null && OTHER_ROW.has(name)
    const written = join(
      values.map((value, i) => (otherRow && i === 0 ? sql`toNullable(${value})` : value)),
      ', ',
    )
    const collects = collectsOf(name)
    const size = collects === 'size' ? sizeOf(name, call.parameters) : undefined
    const value = sql`${ident(name)}${size ?? this.#parameters(call)}(${plain(call.distinct ? 'DISTINCT ' : '')}${written})${this.#over(call)}`
    return {
      // A size that the client named is its own bound.
      value: collects && (collects !== 'size' || size) ? withinCollected(name, collects, value) : value,
      kind: 'other',
      nullable:
        otherRow ||
        mayAnswerNull(
          name,
          given.map(({ field }) => field),
        ),
    }
  }

  /** Parameters of an aggregate are plain numbers, or a text such as a pattern of events. */
  #parameters({ parameters }: Call): Fragment {
    if (parameters === null) return sql``
    const values = parameters.map((each) => {
      if (each.kind === 'number' || each.kind === 'string') return this.#values.value(each)
      throw sqlError('Parameters of an aggregate function are plain values.')
    })
    return sql`(${join(values, ', ')})`
  }

  #over({ over }: Call): Fragment {
    if (over === null) return sql``
    return typeof over === 'string' ? sql` OVER ${this.#values.around.window(over)}` : sql` OVER ${this.window(over)}`
  }

  /** Also for the windows that WINDOW names. */
  window({ base, partition, order, frame }: Window): Fragment {
    const orders = order.map((each) => this.#values.order(each))
    const parts = [
      ...(base === null ? [] : [this.#values.around.window(base)]),
      ...(partition.length > 0 ? [sql`PARTITION BY ${this.#values.list(partition)}`] : []),
      ...(orders.length > 0 ? [sql`ORDER BY ${join(orders, ', ')}`] : []),
      ...(frame === '' ? [] : [plain(frame)]),
    ]
    return sql`(${join(parts, '\n')})`
  }

  /** Whether the event is of an action. */
  #matchesAction(args: readonly Expression[]): Fragment {
    const [action] = args
    const ref = action?.kind === 'string' ? action.value : action?.kind === 'number' ? action.text : undefined
    const source = this.#values.around.scope.sources.find(({ view }) => view?.scope !== undefined)
    const events = source?.view?.scope
    if (ref === undefined || args.length !== 1)
      throw sqlError("matchesAction takes the id or the name of an action: matchesAction('Bought').")
    if (source === undefined || events === undefined) throw sqlError('matchesAction needs events after FROM.')
    const named = this.#values.namedOf('matchesAction')
    return source.condition(anyOf(events, named.action(ref, ['query']), named.operators))
  }
}

const sure = (value: Fragment): Field => ({ value, kind: 'other', nullable: false })

/** Which arguments of a function are conditions, of which only counts whether they are true. */
function conditionsAt(name: string, count: number): (place: number) => boolean {
  if (name === 'if') return (place) => place === 0
  if (name === 'multiIf') return (place) => place % 2 === 0 && place < count - 1
  if (/[a-z0-9]If$/.test(name)) return (place) => place === count - 1
  return () => false
}

function mayAnswerNull(name: string, args: readonly Field[]): boolean {
  switch (nullsOf(name)) {
    case 'never':
      return false
    case 'always':
      return true
    case 'like-arguments':
      return args.some(mayBeNull)
    case 'like-all-arguments':
      return args.every(mayBeNull)
  }
}

const ALL_NAMES = [...FUNCTIONS.map(({ name }) => name), ...SPECIAL_NAMES, 'concat', 'matchesAction']

const unknownFunction = ({ name, place }: Call) =>
  sqlError(`There is no function "${name}" that queries may use.${didYouMean(name, ALL_NAMES)}`, place)
