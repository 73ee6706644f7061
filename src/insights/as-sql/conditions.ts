/** Filters and series as conditions that people read; with the same meaning as `sql/operators.ts` where a value is missing. */
import type { Operator, PropertyFilter, PropertyGroup, SeriesNode } from '../../contract/queries/index.ts'
import { type DateOperator, dateBounds } from '../plan/date-bounds.ts'
import type { Plan } from '../plan/plan.ts'
import { selectorPattern } from '../sql/selector.ts'
import { notInSql, quoted } from './text.ts'
import { moment } from './time.ts'

type Context = Pick<Plan, 'clock' | 'operators'>

/** Whoever is counted. */
export const actorOf = (groupIndex: number | undefined): string =>
  groupIndex === undefined ? 'person_id' : `$group_${groupIndex}`
export const hasActor = (groupIndex: number | undefined): string[] =>
  groupIndex === undefined ? [] : [`$group_${groupIndex} != ''`]

/** The conditions of a plan that hold for all events it looks at, besides their time. */
export const planConditions = (plan: Plan): string[] => {
  if (plan.sampling !== undefined) notInSql('Its numbers are estimated from a sample of the persons.')
  return conditionsOf(plan.filters, plan)
}

export const conditionsOf = (group: PropertyGroup, context: Context): string[] =>
  group.values.length === 0
    ? []
    : group.type === 'AND'
      ? partsOf(group, context)
      : [`(${partsOf(group, context).join(' OR ')})`]

const partsOf = ({ values }: PropertyGroup, context: Context): string[] =>
  values.map((value) => (value.kind === 'group' ? inBrackets(conditionsOf(value, context)) : condition(value, context)))

export const inBrackets = (parts: readonly string[]): string =>
  parts.length === 0 ? 'true' : parts.length === 1 ? (parts[0] ?? '') : `(${parts.join(' AND ')})`

/** What makes an event one of a series. */
export const seriesParts = (node: SeriesNode, context: Context): string[] => [
  ...nameParts(node, context),
  ...conditionsOf(node.properties, context),
  ...conditionsOf(node.fixedProperties, context),
]

export function nameParts(node: SeriesNode, context: Context): string[] {
  switch (node.kind) {
    case 'EventsNode':
      return node.event === undefined ? [] : [`event = ${quoted(node.event)}`]
    case 'ActionsNode':
      return [`matchesAction(${node.id})`]
    case 'GroupNode':
      return [`(${node.nodes.map((each) => inBrackets(seriesParts(each, context))).join(' OR ')})`]
  }
}

/** Of several series: events of none of them need not be read. */
export function anyOf(nodes: readonly SeriesNode[], context: Context): string[] {
  const each = nodes.map((node) => nameParts(node, context))
  if (each.some((parts) => parts.length === 0)) return []
  const all = [...new Set(each.flat())]
  const events = nodes.flatMap((node) => (node.kind === 'EventsNode' ? [node.event ?? ''] : []))
  if (all.length > 1 && events.length === nodes.length)
    return [`event IN (${[...new Set(events)].map(quoted).join(', ')})`]
  return all.length === 1 ? all : [`(${all.join(' OR ')})`]
}

/** A property by its name, as a text. */
export function propertyText({
  type,
  key,
  group_type_index,
}: Pick<PropertyFilter, 'type' | 'key' | 'group_type_index'>) {
  return type === 'hogql' ? `toString(${key})` : `toString(${field(type, key, group_type_index)})`
}

function field(type: PropertyFilter['type'], key: string, groupIndex: number | undefined): string {
  switch (type) {
    case 'event':
      return within('properties', key)
    case 'feature':
      return within('properties', key.startsWith('$feature/') ? key : `$feature/${key}`)
    case 'person':
      return within('person.properties', key)
    case 'group':
      return within(`group_${groupIndex ?? 0}.properties`, key)
    case 'session':
      return within('session', key)
    case 'event_metadata':
      return METADATA[key] ?? within('properties', key)
    default:
      return notInSql(`It has a condition on "${key}", which is of the type ${type}.`)
  }
}

const METADATA: Readonly<Record<string, string>> = {
  event: 'event',
  distinct_id: 'distinct_id',
  person_id: 'person_id',
  $session_id: "nullIf($session_id, '')",
  session_id: "nullIf($session_id, '')",
  uuid: 'uuid',
}

const within = (of: string, key: string): string =>
  /^[$a-z_][$\w]*$/i.test(key) ? `${of}.${key}` : `${of}[${quoted(key)}]`

/** The number in a property; what is no finite number is none. */
export const numberIn = (text: string): string => `toFloat(${text})`

function condition(filter: PropertyFilter, context: Context): string {
  const { type, key, operator, values } = filter
  if (type === 'hogql') return `ifNull(${key}, 0)`
  if (type === 'cohort') {
    const not = operator === 'not_in' || operator === 'is_not'
    const all = values.map((id) => `person_id ${not ? 'NOT ' : ''}IN COHORT ${/^\d+$/.test(id) ? id : quoted(id)}`)
    return all.length === 1 ? (all[0] ?? '') : `(${all.join(not ? ' AND ' : ' OR ')})`
  }
  if (type === 'element') return elementCondition(filter, context)
  if (type === 'person_metadata') notInSql(`It has a condition on "${key}" of persons.`)
  return satisfies(propertyText(filter), filter, context)
}

/** What an operator asks of a text that may be missing. A comparison never answers NULL here. */
function satisfies(text: string, filter: PropertyFilter, context: Context): string {
  const { operator, values } = filter
  const list = values.map(quoted).join(', ')
  const any = (test: (value: string) => string): string =>
    values.length === 1 ? test(values[0] ?? '') : `(${values.map(test).join(' OR ')})`
  const none = (test: (value: string) => string): string => `NOT ${any(test)}`
  const like = (value: string) => quoted(`%${value.replace(/[\\%_]/g, '\\$&')}%`)
  const starts = (value: string) => `ifNull(startsWith(${text}, ${quoted(value)}), 0)`
  const ends = (value: string) => `ifNull(endsWith(${text}, ${quoted(value)}), 0)`
  const compared = (sign: string) => any((value) => `${numberIn(text)} ${sign} ${Number(value)}`)
  const between = () => `(${numberIn(text)} >= ${Number(values[0])} AND ${numberIn(text)} <= ${Number(values[1])})`
  switch (operator) {
    case 'exact':
    case 'in':
    case 'is_cleaned_path_exact':
      return values.length === 1 ? `${text} = ${list}` : `${text} IN (${list})`
    case 'is_not':
    case 'not_in':
      return values.length === 1 ? `${text} != ${list}` : `${text} NOT IN (${list})`
    case 'icontains':
    case 'icontains_multi':
      return any((value) => `${text} ILIKE ${like(value)}`)
    case 'not_icontains':
    case 'not_icontains_multi':
      return values.length === 1
        ? `${text} NOT ILIKE ${like(values[0] ?? '')}`
        : none((value) => `${text} ILIKE ${like(value)}`)
    case 'starts_with':
      return any(starts)
    case 'not_starts_with':
      return none(starts)
    case 'ends_with':
      return any(ends)
    case 'not_ends_with':
      return none(ends)
    case 'regex':
      return any((value) => `${text} =~ ${quoted(value)}`)
    case 'not_regex':
      return values.length === 1 ? `${text} !~ ${list}` : none((value) => `${text} =~ ${quoted(value)}`)
    case 'gt':
      return compared('>')
    case 'gte':
    case 'min':
      return compared('>=')
    case 'lt':
      return compared('<')
    case 'lte':
    case 'max':
      return compared('<=')
    case 'between':
      return between()
    case 'not_between':
      return `NOT ${between()}`
    case 'is_set':
      return `${text} IS NOT NULL`
    case 'is_not_set':
      return `${text} IS NULL`
    case 'is_date_exact':
    case 'is_date_before':
    case 'is_date_after':
      return any((value) => dateCondition(text, operator, value, context))
    default:
      return notInSql(`It compares versions (${operator}).`)
  }
}

function dateCondition(text: string, operator: DateOperator, value: string, { clock, operators }: Context): string {
  const bounds = dateBounds(operator, value, operators)
  return inBrackets([
    ...(bounds.from === null ? [] : [`toDateTime(${text}) >= ${moment(bounds.from, clock)}`]),
    ...(bounds.until === null ? [] : [`toDateTime(${text}) < ${moment(bounds.until, clock)}`]),
  ])
}

const POSITIVE: Partial<Record<Operator, Operator>> = {
  is_not: 'exact',
  not_icontains: 'icontains',
  not_regex: 'regex',
}
const IN_CHAIN: Readonly<Record<string, string>> = {
  tag_name: "'(?:^|;)([a-zA-Z][a-zA-Z0-9-]*)'",
  text: `'[:"]text="((?:[^"\\\\\\\\]|\\\\\\\\.)*)"'`,
  href: `'[:"]href="((?:[^"\\\\\\\\]|\\\\\\\\.)*)"'`,
}

/** Any of the clicked elements; each negative operator is "none of them does". */
function elementCondition(filter: PropertyFilter, context: Context): string {
  const positive = POSITIVE[filter.operator]
  const asked = { ...filter, operator: positive ?? filter.operator }
  const chain = IN_CHAIN[filter.key]
  const found =
    filter.key === 'selector'
      ? `(${filter.values.map((value) => `elements_chain =~ ${quoted(selectorPattern(value))}`).join(' OR ')})`
      : chain === undefined
        ? notInSql(`It has a condition on "${filter.key}" of clicked elements.`)
        : `arrayExists(found -> ${satisfies('found', asked, context)}, extractAll(elements_chain, ${chain}))`
  return positive === undefined ? found : `NOT ${found}`
}
