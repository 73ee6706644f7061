import type { PropertyFilter, PropertyGroup } from '../../contract/queries/index.ts'
import type { ClickHouse } from '../../engines/clickhouse/index.ts'
import type { Sql, Statements } from '../../engines/postgres/index.ts'
import { ApiError } from '../../http/errors.ts'
import {
  type DateOperator,
  dateBounds,
  notAPattern,
  patternsIn,
  refuseBadPatterns,
  VERSION,
  VERSION_NUMBERS,
  type VersionTest,
  versionTests,
} from '../../insights/index.ts'
import { isUuid } from '../../lib/uuid.ts'
import { withoutNul } from '../../lib/without-nul.ts'
import type { PersonQuery } from './person-query.ts'

type Db = Statements
type Condition = ReturnType<typeof always>
const always = (sql: Db) => sql`true`

export interface FilterContext {
  readonly timezone: string
  readonly now: number
  /** The uuids of those in each cohort that is asked about. */
  readonly members: ReadonlyMap<string, readonly string[]>
}

/** The persons `p` of a project that a query asks for. Values, keys and patterns travel as parameters. */
export function personCondition(sql: Db, project: number, query: PersonQuery, context: FilterContext): Condition {
  const { distinct_id, email, search, properties, cohort, as_of } = query
  const conditions = [sql`p.project_id = ${project}`]
  if (distinct_id !== undefined) conditions.push(hasDistinctId(sql, project, distinct_id))
  if (email !== undefined)
    // The first condition is that of the index, the second the one that is asked for.
    conditions.push(sql`(p.lower_email = lower(${withoutNul(email)})
      AND p.properties ->> 'email' = ${withoutNul(email)})`)
  if (search !== undefined && search !== '') {
    const wanted = withoutNul(search.trim())
    conditions.push(sql`(
      p.lower_email LIKE lower(${`%${literally(wanted)}%`})
      OR ${hasDistinctId(sql, project, wanted)}
      ${isUuid(wanted) ? sql`OR p.uuid = ${wanted}` : sql``})`)
  }
  if (cohort !== undefined) conditions.push(isMember(sql, [cohort], context))
  if (properties) conditions.push(group(sql, properties, context))
  if (as_of !== undefined) conditions.push(sql`p.id <= ${as_of}`)
  return combine(sql, conditions, 'AND')
}

const hasDistinctId = (sql: Db, project: number, id: string) => sql`
  p.id = (SELECT d.person_id FROM person_distinct_ids d WHERE d.project_id = ${project} AND d.distinct_id = ${withoutNul(id)})`

/** As part of a pattern of LIKE. Postgres makes small letters of it itself, in its own way. */
const literally = (text: string) => text.replaceAll(/[\\%_]/g, '\\$&')

/** Postgres stores no NUL: a text with one matches nobody's. */

function combine(sql: Db, parts: readonly Condition[], operator: 'AND' | 'OR'): Condition {
  const [first = sql`true`, ...rest] = parts
  return rest.reduce((all, part) => (operator === 'AND' ? sql`${all} AND ${part}` : sql`${all} OR ${part}`), first)
}

function group(sql: Db, { type, values }: PropertyGroup, context: FilterContext): Condition {
  if (values.length === 0) return sql`true`
  const parts = values.map((value) =>
    value.kind === 'group' ? group(sql, value, context) : satisfies(sql, value, context),
  )
  return sql`(${combine(sql, parts, type)})`
}

/** Every condition is plainly true or false, also where the property is missing: negations hold for who lacks it. */
function satisfies(sql: Db, filter: PropertyFilter, context: FilterContext): Condition {
  const { operator } = filter
  if (filter.type === 'cohort') {
    const member = isMember(sql, filter.values, context)
    return operator === 'not_in' || operator === 'is_not' ? sql`NOT ${member}` : member
  }
  const key = withoutNul(filter.key)
  const values = filter.values.map(withoutNul)
  const value = sql`(p.properties -> ${key})`
  const text = sql`(p.properties ->> ${key})`
  const number = sql`property_number(p.properties -> ${key})`
  const anyOf = (test: (wanted: string) => Condition) => combine(sql, values.map(test), 'OR')
  const holds = (condition: Condition) => sql`coalesce((${condition}), false)`
  const fails = (condition: Condition) => sql`NOT coalesce((${condition}), false)`
  const equals = () => sql`(${text} = ANY(${values}::text[]) OR ${sameNumber(sql, number, values)})`
  switch (operator) {
    case 'exact':
    case 'in':
    case 'is_cleaned_path_exact':
      return holds(equals())
    case 'is_not':
    case 'not_in':
      return fails(equals())
    case 'icontains':
    case 'icontains_multi':
      return holds(anyOf((wanted) => sql`strpos(lower(${text}), lower(${wanted})) > 0`))
    case 'not_icontains':
    case 'not_icontains_multi':
      return fails(anyOf((wanted) => sql`strpos(lower(${text}), lower(${wanted})) > 0`))
    case 'starts_with':
      return holds(anyOf((wanted) => sql`starts_with(${text}, ${wanted})`))
    case 'not_starts_with':
      return fails(anyOf((wanted) => sql`starts_with(${text}, ${wanted})`))
    case 'ends_with':
      return holds(anyOf((wanted) => sql`right(${text}, ${wanted.length}) = ${wanted}`))
    case 'not_ends_with':
      return fails(anyOf((wanted) => sql`right(${text}, ${wanted.length}) = ${wanted}`))
    case 'regex':
    case 'not_regex': {
      const matches = anyOf((pattern) => sql`${text} ~ ${pattern}`)
      return operator === 'regex' ? holds(matches) : fails(matches)
    }
    case 'gt':
      return holds(anyOf((wanted) => sql`${number} > ${asked(wanted, filter)}::numeric`))
    case 'gte':
    case 'min':
      return holds(anyOf((wanted) => sql`${number} >= ${asked(wanted, filter)}::numeric`))
    case 'lt':
      return holds(anyOf((wanted) => sql`${number} < ${asked(wanted, filter)}::numeric`))
    case 'lte':
    case 'max':
      return holds(anyOf((wanted) => sql`${number} <= ${asked(wanted, filter)}::numeric`))
    case 'between':
      return holds(isBetween(sql, number, filter))
    case 'not_between':
      return fails(isBetween(sql, number, filter))
    case 'is_set':
      return sql`${text} IS NOT NULL`
    case 'is_not_set':
      return sql`${text} IS NULL`
    case 'is_date_exact':
    case 'is_date_before':
    case 'is_date_after':
      return holds(anyOf((wanted) => within(sql, sql`property_time(${value})`, operator, wanted, context)))
    default:
      return holds(anyOf((wanted) => isVersion(sql, text, versionTests(operator, wanted, filter))))
  }
}

const isMember = (sql: Db, cohorts: readonly string[], { members }: FilterContext) =>
  sql`(p.uuid = ANY(${cohorts.flatMap((cohort) => members.get(cohort) ?? [])}::uuid[]))`

/** 1 finds 1.0 and "1". */
function sameNumber(sql: Db, number: Condition, values: readonly string[]) {
  const numbers = values.filter(isNumber)
  return numbers.length === 0 ? sql`false` : sql`${number} = ANY(${numbers}::numeric[])`
}

const isNumber = (text: string) =>
  /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,2})?$/.test(text.trim()) && text.length < 300

function asked(text: string, filter: PropertyFilter): string {
  if (isNumber(text)) return text.trim()
  throw new ApiError(
    'invalid_input',
    `The operator ${filter.operator} compares numbers; ${JSON.stringify(text)} (for "${filter.key}") is none.`,
    { attr: 'properties' },
  )
}

function isBetween(sql: Db, number: Condition, filter: PropertyFilter) {
  const [low, high] = filter.values
  if (low === undefined || high === undefined || filter.values.length !== 2)
    throw new ApiError('invalid_input', `The operator ${filter.operator} takes two numbers, [low, high].`, {
      attr: 'properties',
    })
  return sql`${number} BETWEEN ${asked(low, filter)}::numeric AND ${asked(high, filter)}::numeric`
}

function within(sql: Db, time: Condition, operator: DateOperator, wanted: string, context: FilterContext) {
  const { from, until } = dateBounds(operator, wanted, context)
  return sql`(${from === null ? sql`true` : sql`${time} >= ${new Date(from)}`}
    AND ${until === null ? sql`true` : sql`${time} < ${new Date(until)}`})`
}

function isVersion(sql: Db, text: Condition, tests: readonly VersionTest[]): Condition {
  const numbers = sql`string_to_array(substring(${text} FROM ${VERSION_NUMBERS}), '.')::numeric[]`
  const compared = tests.map(({ is, version }) => sql`${numbers} ${sql.unsafe(is)} ${[...version]}::numeric[]`)
  return sql`(${combine(sql, [sql`${text} ~ ${VERSION}`, ...compared], 'AND')})`
}

/**
 * A pattern means the same here as in every other question, so it must be one there (RE2, as ClickHouse has it);
 * Postgres, which runs it here, must be able to read it too.
 */
export async function checkPersonPatterns(
  { sql, clickhouse }: { readonly sql: Sql; readonly clickhouse: ClickHouse },
  asked: PropertyGroup | undefined,
): Promise<void> {
  const path = ['properties']
  await refuseBadPatterns({ clickhouse }, asked, { path })
  for (const each of patternsIn(asked, path))
    await sql`SELECT '' ~ ${withoutNul(each.pattern)}`.catch((error: { code?: unknown }) => {
      throw error.code === INVALID_REGULAR_EXPRESSION ? notAPattern(each) : error
    })
}

const INVALID_REGULAR_EXPRESSION = '2201B'
