import type { WebExternalClicksTableQuery } from '../../../contract/queries/index.ts'
import { and, type Fragment, sql } from '../../../engines/clickhouse-sql.ts'
import { scopeOf } from '../../plan/plan.ts'
import type { Asker } from './asker.ts'
import { bothPeriods, CONVERSION_COLUMNS, conversions, eventConditionsOf, periodColumns } from './event-table.ts'
import type { WebFields } from './fields.ts'
import type { WebPlan } from './plan.ts'
import { both } from './session-rows.ts'
import { paged, type TableRow, tableFields } from './table.ts'

const COLUMNS = ['visitors', 'clicks'] as const

/** Links that led out of the site: SDKs send where to with the click. */
export async function runExternalClicks(
  query: WebExternalClicksTableQuery,
  plan: WebPlan,
  runner: Asker,
): Promise<WebFields<'WebExternalClicksTableQuery'>> {
  const scope = scopeOf(plan, bothPeriods(plan))
  const url = sql`ifNull(${scope.property({ type: 'event', key: '$external_click_url' })}, '')`
  const person = scope.person()
  const shown = query.stripQueryParams ? sql`cutQueryStringAndFragment(${url})` : url
  const where = and([...eventConditionsOf(plan, scope), sql`e.event = '$autocapture'`, sql`${url} != ''`])
  const clicks = sql`SELECT ${shown} AS label, ${person} AS person, e.session_id AS session_id, ${periodColumns(plan)}
    FROM ${scope.from()} WHERE ${where}`
  const columns = plan.goal === undefined ? COLUMNS : CONVERSION_COLUMNS
  const statement = plan.goal === undefined ? counts(clicks) : conversions(clicks, plan)
  const rows = await runner.ask<TableRow>(paged(statement, query, columns))
  return tableFields(rows, query, columns, { compared: plan.previous !== undefined, label: 'url' })
}

const counts = (clicks: Fragment): Fragment =>
  sql`SELECT label, ${both('visitors', (when) => sql`uniqExactIf(person, ${when})`)}, ${both('clicks', (when) => sql`countIf(${when})`)}
    FROM (${clicks}) GROUP BY label`
