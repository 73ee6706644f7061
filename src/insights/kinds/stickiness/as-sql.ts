/** Stickiness as SQL that people read: first the intervals of each person, then how many persons have so many. */

import { titleOf } from '../../as-sql/breakdown.ts'
import { actorOf, hasActor, planConditions, seriesParts } from '../../as-sql/conditions.ts'
import { columns, from, notInSql, quoted, together, unique, where } from '../../as-sql/text.ts'
import { startOf, within } from '../../as-sql/time.ts'
import type { StickinessResult } from './run.ts'

const SIGNS = { gte: '>=', lte: '<=', exact: '=' } as const

export function stickinessSql({ plan }: StickinessResult): string {
  if (plan.together > 1) notInSql(`It puts ${plan.together} intervals together.`)
  if (plan.cumulative) notInSql('It is cumulative: each number holds those after it.')
  const several = plan.series.length > 1
  const names = unique(plan.series.map(({ node }) => titleOf(node)))
  const unit = `${plan.range.interval}s`
  const criteria = plan.query.stickinessFilter?.stickinessCriteria
  const parts = plan.periods.flatMap(({ label, range }) =>
    plan.series.map(({ node, groupIndex }, at) => {
      const constants = [
        ...(several ? [`${quoted(names[at] ?? '')} AS series`] : []),
        ...(plan.compare ? [`${quoted(label)} AS period`] : []),
      ]
      const who = node.math === 'hogql' ? `ifNull(toString(${node.math_hogql}), '')` : actorOf(groupIndex)
      const present = node.math === 'hogql' ? [`${who} != ''`] : hasActor(groupIndex)
      const start = startOf(range.interval, 'timestamp', plan.clock)
      const events = where([
        ...within(range, plan.clock),
        ...seriesParts(node, plan),
        ...planConditions(plan),
        ...present,
      ])
      const active =
        criteria === undefined
          ? `SELECT${columns([`${who} AS who`, `uniqExact(${start}) AS ${unit}`])}\nFROM events${events}\nGROUP BY 1`
          : `SELECT who, count() AS ${unit}\n${from(`SELECT${columns([`${who} AS who`, `${start} AS start`])}\nFROM events${events}\nGROUP BY 1, 2\nHAVING count() ${SIGNS[criteria.operator]} ${criteria.value}`)}\nGROUP BY 1`
      const key = constants.length + 1
      return `SELECT${columns([...constants, unit, 'count() AS people'])}\n${from(active)}\nGROUP BY ${key}`
    }),
  )
  const keys = (several ? 1 : 0) + (plan.compare ? 1 : 0) + 1
  return together(parts, Array.from({ length: keys }, (_, at) => at + 1).join(', '))
}
