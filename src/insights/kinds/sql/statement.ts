/** A planned SQL query in the SQL of the engine: over the views of one project, and nothing else. */
import { type Fragment, join, sql, uint } from '../../../engines/clickhouse-sql.ts'
import { namedIn } from '../../definitions/named.ts'
import type { Facts } from '../../facts/facts.ts'
import type { CallBudget } from '../../hogql/bounded-calls.ts'
import { Compiler } from '../../hogql/compile.ts'
import { expressionsOver } from '../../hogql/expression.ts'
import { ourName } from '../../hogql/our-names.ts'
import type { SqlPlan } from './plan.ts'

interface SqlStatement {
  readonly statement: Fragment
  /** The names of its columns, as the query gives them. */
  readonly columns: readonly string[]
  /** The functions it calls, and what they may cost. */
  readonly calls: CallBudget
}

const MOST = sql`50000`

export function sqlStatement(
  { tree, placeholders, marked, page }: Omit<SqlPlan, 'page'> & Partial<Pick<SqlPlan, 'page'>>,
  facts: Facts,
): SqlStatement {
  const { project, hasOverrides, propertyType, groupTypes, system } = facts
  const view = {
    projectId: project.id,
    timezone: project.timezone,
    hasOverrides,
    channelRules: project.channel_rules,
    propertyType,
    groupTypes,
    system,
    expressions: expressionsOver(propertyType),
    named: namedIn(facts),
  }
  const compiler = new Compiler(view, placeholders)
  const compiled = compiler.query(tree)
  const { calls } = compiler
  if (tree.kind === 'select') return { statement: compiled.sql, columns: compiled.columns, calls }
  const names = join(
    compiled.columns.map((name) => ourName(name)),
    ', ',
  )
  const once = marked === 'UNION DISTINCT'
  const limit = page && !marked ? sql`${uint(page.limit + 1)}` : MOST
  const statement = once
    ? sql`SELECT ${names}, max(more) FROM (${compiled.sql}) GROUP BY ${names} LIMIT ${limit}`
    : sql`SELECT * FROM (${compiled.sql}) LIMIT ${limit}`
  return { statement, columns: compiled.columns, calls }
}
