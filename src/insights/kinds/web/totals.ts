/**
 * Numbers of sessions for several parts of the page in one pass over the sessions: figures, the graph and tables ask
 * about the same sessions, and only group them by something else.
 */
import { type Fragment, ident, join, or, type Param, sql, uint } from '../../../engines/clickhouse-sql.ts'
import type { Asker } from './asker.ts'
import type { WebPlan } from './plan.ts'
import { both, type ColumnOfSession, sessionRows } from './session-rows.ts'
import type { TableRow } from './table.ts'

export type Label = (of: ColumnOfSession) => Fragment
export type Measure = keyof typeof MEASURES

export interface Part {
  /** What a row is about; without it there is one row, about all sessions. */
  readonly by?: Label
  readonly measures: readonly Measure[]
  /** Rows in the order of a measure, from the highest unless `ascending`; all of them when there is no page. */
  readonly page?: {
    readonly order: Measure
    readonly ascending: boolean
    readonly limit: number
    readonly offset: number
  }
  /** Leave out rows without a label. */
  readonly named?: boolean
}

const MEASURES = {
  visitors: both('visitors', (when) => sql`uniqExactArrayIf(persons, ${when})`),
  views: both('views', (when) => sql`sumIf(page_count, ${when})`),
  sessions: both('sessions', (when) => sql`countIf(${when})`),
  clicks: both('clicks', (when) => sql`countIf(${when})`),
  duration: both('duration', (when) => sql`avgOrNullIf(lasted, ${when})`),
  bounces: both('bounces', (when) => sql`countIf(is_bounce AND ${when})`),
  bounce_rate: both('bounce_rate', (when) => sql`avgOrNullIf(is_bounce, ${when})`),
  total_conversions: both('total_conversions', (when) => sql`sumIf(goal_count, ${when})`),
  unique_conversions: both('unique_conversions', (when) => sql`uniqExactArrayIf(goal_persons, ${when})`),
  conversion_rate: both(
    'conversion_rate',
    (when) => sql`uniqExactArrayIf(goal_persons, ${when}) / nullIf(uniqExactArrayIf(persons, ${when}), 0)`,
  ),
  /** Of bots that are left out; they have no period before. */
  hidden_sessions: sql`countIf(is_hidden) AS hidden_sessions`,
  hidden_views: sql`sumIf(page_count, is_hidden) AS hidden_views`,
} as const

/** The rows of each part: the label, and each measure with its twin of the period before, `name_before`. */
export async function sessionTotals(plan: WebPlan, parts: readonly Part[], runner: Asker): Promise<TableRow[][]> {
  const grouped = parts.flatMap(({ by }, at) => (by ? [{ name: `label_${at}`, by, at }] : []))
  // The engine says by what a row is grouped in bits, one for each label that it is not grouped by.
  const all = 2 ** grouped.length - 1
  const bits = parts.map((_, at) => {
    const place = grouped.findIndex((each) => each.at === at)
    return place < 0 ? all : all - 2 ** (grouped.length - 1 - place)
  })
  const rows = await runner.ask<Omit<TableRow, 'label'>>(statementOf(plan, parts, grouped, bits))
  return parts.map((_, at) =>
    rows.flatMap((row): TableRow[] => (Number(row.which) === bits[at] ? [{ ...row, label: labelOf(row, at) }] : [])),
  )
}

/** Of the row about all sessions, none. */
function labelOf(row: Omit<TableRow, 'label'>, at: number): TableRow['label'] {
  const label = row[`label_${at}`]
  return typeof label === 'number' || label === null || label === undefined ? '' : label
}

function statementOf(
  plan: WebPlan,
  parts: readonly Part[],
  grouped: readonly { readonly name: string; readonly by: Label }[],
  bits: readonly number[],
): Fragment {
  const withHidden = plan.bots === 'exclude' && parts.some(({ measures }) => measures.includes('hidden_sessions'))
  const columns = Object.fromEntries(grouped.map(({ name, by }) => [name, by]))
  const labels = grouped.map(({ name }) => ident(name))
  const measures = [...new Set(parts.flatMap((part) => part.measures))].map((name) => MEASURES[name])
  const sets = [...new Set(bits)].map((which) => {
    const at = bits.indexOf(which)
    return parts[at]?.by ? sql`(${ident(`label_${at}`)})` : sql`()`
  })
  const counted = sql`SELECT ${labels.length === 0 ? sql`0` : sql`grouping(${join(labels, ', ')})`} AS which,
    ${join([...labels, ...measures], ', ')}
  FROM (${sessionRows(plan, { columns, withHidden })})
  ${labels.length === 0 ? sql`` : sql`GROUP BY GROUPING SETS (${join(sets, ', ')})`}
  ${withHidden ? sql`HAVING ${hasRow(parts, bits)}` : sql``}`
  return pagesOf(counted, parts, bits, labels)
}

/** Rows of which only bots would be counted are none, except where bots are. */
const hasRow = (parts: readonly Part[], bits: readonly number[]): Fragment =>
  or([
    sql`countIf(is_current OR is_previous) > 0`,
    ...parts.flatMap(({ measures }, at) =>
      measures.includes('hidden_sessions') ? [sql`which = ${uint(bits[at] ?? 0)}`] : [],
    ),
  ])

/** Of each part the rows of its page; one row more says whether there are others. */
function pagesOf(counted: Fragment, parts: readonly Part[], bits: readonly number[], labels: Fragment[]): Fragment {
  const paged = parts.flatMap(({ page, named = false }, at) =>
    page ? [{ page, named, which: uint(bits[at] ?? 0), label: ident(`label_${at}`) }] : [],
  )
  if (paged.length === 0) return counted
  const choose = (choice: (part: (typeof paged)[number]) => Fragment | Param, otherwise: Fragment) =>
    sql`multiIf(${join(
      paged.map((part) => sql`which = ${part.which}, ${choice(part)}`),
      ', ',
    )}, ${otherwise})`
  // Rows that only the period before has come last.
  const order = choose(
    ({ page: { order, ascending } }) => sql`${ascending ? sql`-` : sql``}toFloat64(ifNull(${ident(order)}, -1))`,
    sql`0.`,
  )
  const texts = labels.map((label) => sql`toString(${label})`)
  const from = choose(({ page }) => uint(page.offset), sql`0`)
  const to = choose(({ page }) => uint(page.offset + page.limit + 1), sql`4294967295`)
  const named = paged.flatMap((part) => (part.named ? [sql`NOT (which = ${part.which} AND ${part.label} = '')`] : []))
  return sql`SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY which ORDER BY ${order} DESC, visitors DESC, ${join(texts, ', ')}) AS place
    FROM (${counted}) ${named.length === 0 ? sql`` : sql`WHERE ${join(named, ' AND ')}`}
  ) WHERE place > ${from} AND place <= ${to} ORDER BY which, place`
}
