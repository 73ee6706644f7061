import type { WebExternalClicksTableQuery } from '../../../contract/queries/index.ts'
import { and, sql } from '../../../engines/clickhouse-sql.ts'
import { scopeOf } from '../../plan/plan.ts'
import type { Asker } from './asker.ts'
import { bothPeriods, eventConditionsOf, periodColumns } from './event-table.ts'
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
  const statement = sql`SELECT label, ${both('visitors', (when) => sql`uniqExactIf(person, ${when})`)}, ${both('clicks', (when) => sql`countIf(${when})`)}
    FROM (SELECT ${shown} AS label, ${person} AS person, ${periodColumns(plan)} FROM ${scope.from()} WHERE ${where})
    GROUP BY label`
  const rows = await runner.ask<TableRow>(paged(statement, query, COLUMNS))
  return tableFields(rows, query, COLUMNS, { compared: plan.previous !== undefined, label: 'url' })
}
