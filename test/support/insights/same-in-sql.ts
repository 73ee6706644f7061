/** The SQL that an answer offers must have the answer's numbers: it is run, and both are compared row by row. */
import { expect } from 'vitest'
import type { InsightContext } from '../../../src/insights/facts/context.ts'
import { lifecycleOnWire } from '../../../src/insights/kinds/lifecycle/wire.ts'
import { retentionOnWire } from '../../../src/insights/kinds/retention/wire.ts'
import { runSql } from '../../../src/insights/kinds/sql/run.ts'
import { trendsOnWire } from '../../../src/insights/kinds/trends/wire.ts'
import { NULL_LABEL, OTHER_LABEL } from '../../../src/insights/plan/breakdown.ts'
import type { InsightAnswer, InsightResult } from '../../../src/insights/run/insight.ts'
import { queryEnvelope } from '../../../src/insights/wire/envelope.ts'

/** Why there is no SQL; undefined when there is and its numbers are the same. */
export async function sameInSql(context: InsightContext, answer: InsightAnswer): Promise<string | undefined> {
  const { hogql, no_hogql_reason: reason } = queryEnvelope(answer)
  if (hogql === null) return reason ?? 'no reason'
  const { results } = await runSql({ ...context, propertyTypes: async () => () => null }, { query: hogql })
  const kind = answer.result.kind
  const found = summed(results.map((row) => fromSql(row, answer.result)))
  const wanted = summed(rowsOf(answer.result))
  // What is added up over time has no row where nothing happens, and edges that nothing leads to are left out of an answer.
  if (kind === 'PathsQuery') expect(found, hogql).toMatchObject(wanted)
  else if (kind === 'TrendsQuery' && answer.result.plan.cumulative) expect(wanted, hogql).toMatchObject(found)
  else expect(found, hogql).toEqual(wanted)
  return undefined
}

interface Row {
  readonly key: string
  readonly values: readonly number[]
}

/** Rows of the same key are one; rows of nothing are none. */
function summed(rows: readonly Row[]): Record<string, number[]> {
  const sums: Record<string, number[]> = {}
  for (const { key, values } of rows) {
    const before = sums[key] ?? values.map(() => 0)
    sums[key] = values.map((value, at) => Number(((before[at] ?? 0) + value).toFixed(6)))
  }
  return Object.fromEntries(
    Object.entries(sums)
      .filter(([, values]) => values.some((value) => value !== 0))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

const keyOf = (parts: readonly unknown[]): string => JSON.stringify(parts)

/** The last columns are numbers, those before say what of. */
function fromSql(row: readonly unknown[], result: InsightResult): Row {
  const numbers = result.kind === 'FunnelsQuery' ? result.plan.steps.length : wide(result)
  const keys = row.slice(0, row.length - numbers).map((value) => timeText(value, result))
  return { key: keyOf(keys), values: row.slice(row.length - numbers).map((value) => Number(value ?? 0)) }
}

const MOMENT = /^\d{4}-\d{2}-\d{2}([T ]|$)/

/** Of intervals shorter than a day their hour counts, of others the day. */
const timeText = (value: unknown, { plan }: InsightResult): unknown =>
  typeof value === 'string' && MOMENT.test(value) ? cut(value, plan.range.interval) : value
const cut = (text: string, interval: string): string =>
  text.replace('T', ' ').slice(0, interval === 'hour' ? 13 : interval === 'minute' ? 16 : 10)

/** Trends without a breakdown or comparison have a column for each series. */
function wide(result: InsightResult): number {
  if (result.kind !== 'TrendsQuery') return 1
  return isWide(result) ? result.plan.series.length : 1
}
function isWide(result: Extract<InsightResult, { kind: 'TrendsQuery' }>): boolean {
  const { plan } = result
  const simple = /^(total|dau|unique_group|unique_session|sum|avg|min|max|median|p75|p90|p95|p99)$/
  return (
    plan.breakdown === undefined &&
    !plan.compare &&
    !plan.cumulative &&
    plan.series.every(({ math, node }) => simple.test(math) && node.math_property !== '$session_duration')
  )
}

const labelText = (label: string): string => (label === NULL_LABEL ? '(none)' : label === OTHER_LABEL ? 'Other' : label)

function labelsOf(result: Extract<InsightResult, { plan: { breakdown?: unknown } }>, labels: readonly string[] = []) {
  const { breakdown } = result.plan
  return labels.map((label) => breakdown?.names?.get(label) ?? labelText(label))
}

function rowsOf(result: InsightResult): Row[] {
  switch (result.kind) {
    case 'TrendsQuery': {
      const { plan } = result
      const titles = plan.series.map(({ node }) => node.custom_name ?? ('event' in node ? node.event : node.name))
      const onWire = trendsOnWire(result)
      const points = result.series.flatMap((series, index) => {
        const wire = onWire[index]
        const name = titles[plan.series.findIndex((each) => each.index === series.index)] ?? ''
        const own = [
          ...(plan.series.length > 1 && !isWide(result) ? [name] : []),
          ...(plan.compare ? [series.period.label] : []),
        ]
        const labels = labelsOf(result, series.labels)
        if (plan.totalValue) return [{ at: own, labels, value: wire?.aggregated_value ?? 0, series: index }]
        return (wire?.days ?? []).map((day, at) => ({
          // Cohorts stand before the time, values of properties after it.
          at: plan.breakdown?.names
            ? [...own, ...labels, cut(day, plan.range.interval)]
            : [...own, cut(day, plan.range.interval)],
          labels: plan.breakdown?.names ? [] : labels,
          value: wire?.data?.[at] ?? 0,
          series: index,
        }))
      })
      if (!isWide(result))
        return points.map(({ at, labels, value }) => ({ key: keyOf([...at, ...labels]), values: [value] }))
      return points.map(({ at, value, series }) => ({
        key: keyOf(at),
        values: result.series.map((_, index) => (index === series ? value : 0)),
      }))
    }
    case 'FunnelsQuery': {
      if (result.viz !== 'steps') return []
      const periods = [result, ...(result.previous ? [result.previous] : [])]
      return periods.flatMap((each, at) =>
        each.groups.map(({ labels, counts }) => ({
          key: keyOf([...(periods.length > 1 ? [at === 0 ? 'current' : 'previous'] : []), ...labelsOf(result, labels)]),
          values: counts,
        })),
      )
    }
    case 'StickinessQuery': {
      const { plan } = result
      const several = plan.series.length > 1
      return result.series.flatMap(({ node, period, data }) =>
        data.map((value, at) => ({
          key: keyOf([
            ...(several ? ['event' in node ? node.event : node.name] : []),
            ...(plan.compare ? [period.label] : []),
            at + 1,
          ]),
          values: [value],
        })),
      )
    }
    case 'LifecycleQuery': {
      const days = lifecycleOnWire(result)[0]?.days ?? []
      return result.series.flatMap(({ status, data }) =>
        data.map((value, at) => ({
          key: keyOf([cut(days[at] ?? '', result.plan.range.interval), status]),
          values: [Math.abs(value)],
        })),
      )
    }
    case 'RetentionQuery': {
      const dates = retentionOnWire(result).map(({ date }) => cut(date, result.plan.range.interval))
      return result.groups.flatMap(({ labels, rows }) =>
        rows.flatMap((counts, row) =>
          counts.map((count, later) => ({
            key: keyOf([...labelsOf(result, labels), dates[row], later]),
            values: [count],
          })),
        ),
      )
    }
    case 'PathsQuery':
      return result.edges.map(({ source, target, value }) => ({ key: keyOf([source, target]), values: [value] }))
    case 'FunnelCorrelationQuery':
      return []
  }
}
