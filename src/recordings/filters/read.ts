import { belowZero } from '../../lib/as-sent.ts'
import { type Path, refuse } from '../../lib/invalid-input.ts'
import { asText, isObject, numberFrom } from '../../lib/json.ts'
import { isDate, notADate } from '../../lib/parse-date.ts'
import { columnOf, type Leaf, readAction, readEvent, readLeaf } from './leaf.ts'
import type { RecordingsQuestion } from './question.ts'

/**
 * Reads recording filters: the universal form with its `filter_group`, the older flat one, and a query string, which is
 * a mixture. A playlist keeps whatever it was given, so keys that mean nothing are passed over.
 */
type Fields = Readonly<Record<string, unknown>>

const LARGEST_LIMIT = 1_000
const DEFAULT_LIMIT = 50

export function readRecordingFilters(fields: Fields): RecordingsQuestion {
  const { leaves, operand } = leavesOf(fields)
  return {
    // Everything that is kept is what "all" means.
    dateFrom: fields.date_from === 'all' ? null : dateOf(fields.date_from, ['date_from']),
    dateTo: dateOf(fields.date_to, ['date_to']),
    sessionIds: sessionIdsOf(fields),
    person: textOf(fields.person_uuid) ?? textOf(fields.person_id),
    distinctIds: distinctIdsOf(fields),
    operand,
    criteria: leaves.flatMap((leaf) => ('criterion' in leaf ? [leaf.criterion] : [])),
    having: leaves.flatMap((leaf) => ('predicate' in leaf ? [leaf.predicate] : [])),
    filterTestAccounts: fields.filter_test_accounts === true || fields.filter_test_accounts === 'true',
    hideViewed: hideViewedOf(fields.hide_viewed_recordings),
    order: orderOf(textOf(fields.order)),
    descending: textOf(fields.order_direction)?.toUpperCase() !== 'ASC',
    limit: Math.min(numberOf(fields.limit, ['limit']) || DEFAULT_LIMIT, LARGEST_LIMIT),
    offset: numberOf(fields.offset, ['offset']) ?? 0,
    ...(fields.kind === 'insight_actors' ? { actors: fields.source ?? null } : {}),
  }
}

/** Whether filters are not empty: an empty object matches everything in a list, but nothing for a playlist. */
export const saysSomething = (filters: unknown): filters is Fields =>
  isObject(filters) && Object.values(filters).some((value) => value !== null && value !== undefined)

function leavesOf(fields: Fields): { leaves: Leaf[]; operand: 'AND' | 'OR' } {
  const universal = isObject(fields.filter_group) ? universalLeaves(fields.filter_group) : undefined
  const durations = listOf(fields.duration, ['duration']).slice(0, 1)
  return {
    operand: universal?.operand ?? (fields.operand === 'OR' ? 'OR' : 'AND'),
    leaves: [
      ...(universal?.leaves ?? []),
      ...durations.flatMap((leaf) => readLeaf(recordingLeaf(leaf), ['duration'])),
      ...flatDuration(fields),
      ...listOf(fields.events, ['events']).map((event) => readEvent(objectOf(event, ['events']), ['events'])),
      ...listOf(fields.actions, ['actions']).map((action) => readAction(objectOf(action, ['actions']), ['actions'])),
      ...commentLeaf(fields.comment_text),
      ...leavesIn(fields.properties, ['properties']),
      ...leavesIn(fields.having_predicates, ['having_predicates'], 'recording'),
      ...leavesIn(fields.console_log_filters, ['console_log_filters'], 'log_entry'),
      ...consoleLevels(fields),
      ...consoleText(fields),
      ...(isObject(fields.snapshot_source) ? readLeaf(recordingLeaf(fields.snapshot_source), ['snapshot_source']) : []),
    ],
  }
}

/** Two levels: only the first inner group is read, and its leaves are flat. */
function universalLeaves(group: Fields): { leaves: Leaf[]; operand: 'AND' | 'OR' } {
  const [inner] = listOf(group.values, ['filter_group'])
  const leaves = isObject(inner) && Array.isArray(inner.values) ? inner.values : inner === undefined ? [] : [inner]
  const isOr = group.type === 'OR' || (isObject(inner) && Array.isArray(inner.values) && inner.type === 'OR')
  return {
    operand: isOr ? 'OR' : 'AND',
    leaves: leaves.flatMap((leaf, i) => readLeaf(leaf, ['filter_group', 'values', 0, 'values', i])),
  }
}

const leavesIn = (given: unknown, path: Path, type?: string): Leaf[] =>
  listOf(given, path).flatMap((leaf, i) => readLeaf(type ? { ...objectOf(leaf, path), type } : leaf, [...path, i]))

const recordingLeaf = (leaf: unknown): unknown => (isObject(leaf) ? { ...leaf, type: 'recording' } : leaf)

/** {session_recording_duration: {key, operator, value}, duration_type_filter}. */
function flatDuration({ session_recording_duration: given, duration_type_filter: type }: Fields): Leaf[] {
  if (!isObject(given)) return []
  const key = textOf(type) ?? textOf(given.key) ?? 'active_seconds'
  return readLeaf({ ...given, type: 'recording', key }, ['session_recording_duration'])
}

/** Refused, not ignored: without the filter the list would show other recordings. */
const commentLeaf = (given: unknown): Leaf[] =>
  given === undefined || given === null ? [] : refuse('Recordings have no comments here.', ['comment_text'])

const consoleLevels = ({ console_logs: levels }: Fields): Leaf[] =>
  Array.isArray(levels) && levels.length > 0
    ? readLeaf({ type: 'log_entry', key: 'level', value: levels, operator: 'exact' }, ['console_logs'])
    : []

const consoleText = ({ console_search_query: text }: Fields): Leaf[] =>
  textOf(text) === undefined
    ? []
    : readLeaf({ type: 'log_entry', key: 'message', value: [text], operator: 'icontains' }, ['console_search_query'])

/** An empty list is a list: it matches nothing. */
function sessionIdsOf(fields: Fields): readonly string[] | undefined {
  const given = fields.session_ids ?? fields.session_recording_id
  if (given === undefined || given === null || given === '') return undefined
  return (Array.isArray(given) ? given : [given]).map(asText)
}

function distinctIdsOf(fields: Fields): readonly string[] | undefined {
  const given = fields.distinct_ids ?? fields.distinct_id
  if (given === undefined || given === null || given === '') return undefined
  return (Array.isArray(given) ? given : [given]).map(asText)
}

function hideViewedOf(given: unknown): RecordingsQuestion['hideViewed'] {
  if (given === 'current-user' || given === 'any-user') return given
  if (given === true || given === 'true') return 'current-user'
  return undefined
}

/** Orders that mean something elsewhere and nothing here fall back to time. */
function orderOf(given: string | undefined): RecordingsQuestion['order'] {
  if (given === undefined || given === 'recording_ttl' || given === 'surfacing_score') return 'start_time'
  return columnOf(given, ['order'])
}

const textOf = (given: unknown): string | undefined => (typeof given === 'string' && given !== '' ? given : undefined)

function dateOf(given: unknown, path: Path): string | null | undefined {
  if (given === null) return null
  const text = textOf(given)
  return text === undefined || isDate(text) ? text : refuse(notADate(text), path)
}

function numberOf(given: unknown, path: Path): number | undefined {
  if (given === undefined || given === null || given === '') return undefined
  const number = numberFrom(given)
  if (!Number.isSafeInteger(number)) return refuse('A valid integer is required.', path)
  return number >= 0 ? number : refuse(belowZero(given), path)
}

function listOf(given: unknown, path: Path): unknown[] {
  if (given === undefined || given === null || given === '') return []
  return Array.isArray(given) ? given : refuse('Expected a list of items.', path)
}

const objectOf = (given: unknown, path: Path): Record<string, unknown> =>
  isObject(given) ? given : refuse('Expected an object.', path)
