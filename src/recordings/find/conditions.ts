import type { PropertyFilter } from '../../contract/queries/index.ts'
import { and, type Fragment, ident, moment, or, sql, strings, uint } from '../../engines/clickhouse/index.ts'
import type { SessionFinder } from '../../insights/index.ts'
import { DAY } from '../../lib/durations.ts'
import type { Criterion, Predicate, RecordingsQuestion } from '../filters/question.ts'

/** The time range; a session may have begun the day before and last a day. */
export interface Bounds {
  readonly from: number
  readonly to: number
}

const NOTHING = { kind: 'group', type: 'AND', values: [] } as const

/** A negative operator and its positive counterpart. */
const POSITIVE: Partial<Record<PropertyFilter['operator'], PropertyFilter['operator']>> = {
  is_not: 'exact',
  not_in: 'in',
  not_icontains: 'icontains',
  not_icontains_multi: 'icontains_multi',
  not_starts_with: 'starts_with',
  not_ends_with: 'ends_with',
  not_regex: 'regex',
  not_between: 'between',
  is_not_set: 'is_set',
}

/** On `session_id`: what happened in the session. With AND, "is not" means that nothing in the session is. */
export function happened(
  { criteria, operand }: Pick<RecordingsQuestion, 'criteria' | 'operand'>,
  finder: SessionFinder,
  project: number,
  bounds: Bounds,
): Fragment[] {
  if (criteria.length === 0) return []
  const conditions = criteria.map((criterion) => condition(criterion, operand, finder, project, bounds))
  return [operand === 'AND' ? and(conditions) : or(conditions)]
}

function condition(
  criterion: Criterion,
  operand: 'AND' | 'OR',
  finder: SessionFinder,
  project: number,
  bounds: Bounds,
): Fragment {
  const wide = { from: bounds.from - DAY, to: bounds.to + DAY }
  if (criterion.kind === 'event') {
    const found = finder.sessionsWith(criterion, wide)
    return criterion.negated ? sql`m.session_id NOT IN (${found})` : sql`m.session_id IN (${found})`
  }
  const positive = operand === 'AND' ? POSITIVE[criterion.filter.operator] : undefined
  const filter = positive ? { ...criterion.filter, operator: positive } : criterion.filter
  const found = sessionsLike({ ...criterion, filter }, finder, project, wide)
  return positive ? sql`m.session_id NOT IN (${found})` : sql`m.session_id IN (${found})`
}

function sessionsLike(
  criterion: Exclude<Criterion, { kind: 'event' }>,
  finder: SessionFinder,
  project: number,
  wide: Bounds,
): Fragment {
  const { filter } = criterion
  if (criterion.kind === 'property') return finder.sessionsWith({ properties: { ...NOTHING, values: [filter] } }, wide)
  const values =
    criterion.kind === 'page' ? sql`urls` : criterion.about === 'level' ? sql`console_levels` : sql`console_messages`
  return sql`SELECT session_id FROM recording_chunks
    WHERE project_id = ${uint(project)} AND received_at >= ${moment(wide.from)} AND received_at <= ${moment(wide.to + 7 * DAY)}
      AND arrayExists(value -> ${finder.satisfies(sql`toNullable(CAST(value, 'String'))`, filter)}, ${values})`
}

/** On the columns of the listing. */
export const holds = (predicates: readonly Predicate[], finder: SessionFinder): Fragment[] =>
  predicates.map(({ column, filter }) => finder.satisfies(sql`toNullable(toString(${columnName(column)}))`, filter))

const columnName = (column: Predicate['column']): Fragment => ident(column)

/** Sessions of these distinct ids. */
export const withDistinctIds = (ids: readonly string[], project: number, bounds: Bounds): Fragment =>
  sql`m.session_id IN (
    SELECT session_id FROM recording_minutes
    WHERE project_id = ${uint(project)} AND minute >= ${moment(bounds.from - DAY)} AND minute <= ${moment(bounds.to + DAY)}
      AND tupleElement(distinct_id, 2) IN ${strings(ids)})`

export const inMinutes = (project: number, { from, to }: Bounds): Fragment[] => [
  sql`m.project_id = ${uint(project)}`,
  sql`m.minute >= ${moment(from - DAY)}`,
  sql`m.minute <= ${moment(to + DAY)}`,
  sql`m.expires_at > now()`,
]
