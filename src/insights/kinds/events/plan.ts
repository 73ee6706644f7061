/** A table of events, settled: its columns are expressions, and a few words stand for whole objects. */
import { allOf, type EventsQuery, NO_FILTERS } from '../../../contract/queries/index.ts'
import { parseJson } from '../../../lib/json.ts'
import { isUuid } from '../../../lib/uuid.ts'
import type { ProjectFacts } from '../../facts/facts.ts'
import { aggregates } from '../../hogql/aggregates.ts'
import type { Expression, Item, Order, Select } from '../../hogql/ast.ts'
import { sqlError } from '../../hogql/error.ts'
import { parseExpression, parseItem, parseOrder } from '../../hogql/parse.ts'
import { type Filling, placeholdersOf, type SqlPlan } from '../sql/index.ts'

export type AskedEvents = Partial<EventsQuery> & Pick<EventsQuery, 'select'>

const MOST_ROWS = 50_000
const EVENT = ['uuid', 'event', 'properties', 'timestamp', 'distinct_id', 'elements_chain', 'created_at', 'person_mode']
const PERSON = ['person_id', 'distinct_id', 'person.properties', 'person.created_at']
const OBJECTS: Readonly<Record<string, readonly string[]>> = { '*': EVENT, person: PERSON, person_display_name: PERSON }

/** One column of the answer: read from so many columns of the statement. */
export interface Column {
  readonly title: string
  readonly items: readonly Item[]
  cell(values: readonly unknown[]): unknown
}

export interface EventsPlan extends Omit<SqlPlan, 'page'> {
  readonly columns: readonly Column[]
  readonly limit: number
  readonly offset: number
}

/** What {filters} stands for in the tree. */
export const fillingOf = (query: AskedEvents): Filling => ({
  filters: {
    properties: allOf(query.properties ?? NO_FILTERS, query.fixedProperties ?? NO_FILTERS),
    filterTestAccounts: query.filterTestAccounts ?? false,
    dateRange: { date_from: query.after ?? '-24h', date_to: query.before },
    interval: undefined,
  },
})

export function planEvents(query: AskedEvents, facts: ProjectFacts): EventsPlan {
  const columns = (query.select.length === 0 ? ['*'] : query.select).map(columnOf)
  const limit = Math.min(query.limit ?? 100, MOST_ROWS)
  const offset = query.offset ?? 0
  // One row more than asked for tells whether there are more.
  const tree = selectOf(query, columns, limit + 1, offset)
  return { columns, limit, offset, tree, placeholders: placeholdersOf(fillingOf(query), facts) }
}

function columnOf(text: string): Column {
  const title = text.trim()
  const parts = Object.hasOwn(OBJECTS, title) ? OBJECTS[title] : undefined
  if (!parts) {
    const item = parseItem(title)
    return { title: item.alias ?? title, items: [item], cell: ([value]) => value }
  }
  const items = parts.map((part) => parseItem(part))
  return { title, items, cell: title === '*' ? eventCell : title === 'person' ? personCell : nameCell }
}

const eventCell = (values: readonly unknown[]) => {
  const event = Object.fromEntries(EVENT.map((name, i) => [name, values[i]]))
  return { ...event, properties: documentOf(event.properties) }
}

const personCell = ([uuid, distinct_id, properties, created_at]: readonly unknown[]) => ({
  uuid,
  distinct_id,
  properties: documentOf(properties),
  created_at,
})

const nameCell = ([id, distinct_id, properties]: readonly unknown[]) => {
  const { email, name } = documentOf(properties) as { email?: unknown; name?: unknown }
  return { id, distinct_id, display_name: email ?? name ?? distinct_id }
}

const documentOf = (text: unknown) => (typeof text === 'string' && text !== '' ? parseJson(text) : {})

function selectOf(query: AskedEvents, columns: readonly Column[], limit: number, offset: number): Select {
  const items = columns
    .flatMap((column) => column.items)
    .map((item, i) => ({ ...item, alias: item.alias ?? `column ${i}` }))
  const conditions = (query.where ?? []).map(parseExpression)
  const grouped = items.some(({ of }) => aggregates(of))
  return {
    kind: 'select',
    tables: new Map(),
    values: new Map(),
    distinct: false,
    items,
    from: { of: { kind: 'table', name: 'events' }, alias: null },
    joins: [],
    arrayJoins: [],
    where: all([...given(query), ...conditions.filter((each) => !aggregates(each))]),
    groupBy: grouped ? items.filter(({ of }) => !aggregates(of)).map(({ of }) => of) : [],
    having: all(conditions.filter(aggregates)),
    orderBy: query.orderBy && query.orderBy.length > 0 ? query.orderBy.map(parseOrder) : usualOrder(items),
    limitBy: null,
    limit: { kind: 'number', text: String(limit) },
    offset: { kind: 'number', text: String(offset) },
  }
}

function given({ event, events, actionId, personId }: AskedEvents): Expression[] {
  const conditions: Expression[] = [{ kind: 'placeholder', path: ['filters'] }]
  const names = [...(event ? [event] : []), ...(events ?? [])]
  if (names.length > 0) conditions.push(oneOf('event', names))
  if (actionId !== undefined)
    conditions.push({
      kind: 'call',
      name: 'matchesAction',
      parameters: null,
      distinct: false,
      args: [{ kind: 'number', text: String(actionId) }],
      over: null,
    })
  if (personId) {
    if (!isUuid(personId)) throw sqlError('personId takes the uuid of a person.')
    conditions.push(oneOf('person_id', [personId]))
  }
  return conditions
}

const oneOf = (name: string, values: readonly string[]): Expression => ({
  kind: 'in',
  not: false,
  left: { kind: 'name', chain: [name] },
  right: { kind: 'tuple', items: values.map((value) => ({ kind: 'string', value })) },
})

const all = (conditions: readonly Expression[]): Expression | null =>
  conditions.reduce<Expression | null>(
    (left, right) => (left ? { kind: 'operator', operator: 'AND', left, right } : right),
    null,
  )

/** What is counted, the most first; else the newest first; else the first column. */
function usualOrder(items: readonly Item[]): Order[] {
  const summed = items.find(({ text }) => text === 'count()') ?? items.find(({ of }) => aggregates(of))
  const newest = items.find(({ of }) => of.kind === 'name' && of.chain.join('.') === 'timestamp')
  const by = summed ?? newest ?? items[0]
  return by ? [{ of: by.of, direction: summed || newest ? ' DESC' : ' ASC', nulls: '' }] : []
}
