/** The steps of a funnel as SQL that people read: `windowFunnel` says of each person how many steps it got. */

import { DAY, HOUR, MINUTE, SECOND } from '../../../lib/durations.ts'
import { type CohortPart, cohortParts, labelNames, NONE, shownLabels, titleOf } from '../../as-sql/breakdown.ts'
import { actorOf, hasActor, inBrackets, planConditions, seriesParts } from '../../as-sql/conditions.ts'
import { columns, from, indented, named, notInSql, quoted, together, unique, where } from '../../as-sql/text.ts'
import { within } from '../../as-sql/time.ts'
import { canBeOneEvent } from './one-event.ts'
import type { FunnelPlan } from './plan.ts'
import type { FunnelsResult } from './result.ts'

export function funnelSql(result: FunnelsResult): string {
  if (result.viz === 'trends') notInSql('It shows conversion over time, in which each person may try again and again.')
  if (result.viz === 'time_to_convert') notInSql('It shows how long people took, which windowFunnel does not say.')
  checkPlan(result.plan)
  const periods = [
    { label: 'current', plan: result.plan },
    ...(result.previous === undefined ? [] : [{ label: 'previous', plan: result.previous.plan }]),
  ]
  const parts = periods.flatMap((period) =>
    cohortParts(result.plan.breakdown).map((cohort) =>
      part(period.plan, {
        ...cohort,
        columns: [...(periods.length > 1 ? [`${quoted(period.label)} AS period`] : []), ...cohort.columns],
      }),
    ),
  )
  return parts.length === 1 && result.plan.breakdown === undefined ? (parts[0] ?? '') : together(parts, '1')
}

/** What windowFunnel cannot be asked. */
function checkPlan(plan: FunnelPlan): void {
  if (plan.order !== 'ordered') notInSql(`Its steps are ${plan.order}, which windowFunnel counts in another way.`)
  if (plan.steps.length < 2) notInSql('It has fewer than two steps.')
  if (plan.exclusions.length > 0) notInSql('It leaves out tries in which something else happened.')
  if (plan.optional.length > 0) notInSql('It has steps that may be left out.')
  if (plan.heldConstant.length > 0) notInSql('It holds properties constant over its steps.')
  if (plan.bySession) notInSql('It counts by something else than persons or groups.')
  if (plan.attribution.type === 'step') notInSql('Its breakdown is by the value that one step had.')
  if (plan.window.unit === 'month') notInSql('A try may take months, which are not equally long.')
  if (plan.steps.some(({ math }) => math?.startsWith('first_')))
    notInSql('It has steps that count the first time only.')
  if (plan.steps.some((step, at) => plan.steps.slice(at + 1).some((later) => canBeOneEvent(step, later))))
    notInSql('One event can be two of its steps, and windowFunnel counts it for both.')
}

const LENGTH = { second: SECOND, minute: MINUTE, hour: HOUR, day: DAY, week: 7 * DAY }

function part(plan: FunnelPlan, cohort: CohortPart): string {
  const names = unique(plan.steps.map((node, at) => `${at + 1} ${titleOf(node)}`))
  const counts = plan.steps.map((_, at) => `countIf(reached >= ${at + 1}) AS ${named(names[at] ?? '')}`)
  const labels = labelNames(plan.breakdown)
  // Months were refused before.
  const unit = plan.window.unit === 'month' ? 'day' : plan.window.unit
  const seconds = (plan.window.count * LENGTH[unit]) / SECOND
  if (!Number.isInteger(seconds)) notInSql('A try may take a part of a second, which windowFunnel does not count.')
  const steps = plan.steps.map((node) => inBrackets(seriesParts(node, plan)))
  const who = actorOf(plan.groupIndex)
  const reached = (named: readonly string[]) =>
    `windowFunnel(${seconds})(\n  timestamp,\n  ${named.join(',\n  ')}\n) AS reached`
  const conditions = [
    ...within(plan.range, plan.clock),
    ...planConditions(plan),
    ...hasActor(plan.groupIndex),
    ...cohort.conditions,
  ]
  const group = (keys: number) =>
    keys === 0 ? '' : `\nGROUP BY ${Array.from({ length: keys }, (_, at) => cohort.columns.length + at + 1).join(', ')}`
  if (labels.length === 0)
    return `SELECT${columns([...cohort.columns, ...counts])}
${from(`SELECT${columns([who, reached(steps)])}\nFROM events${where(conditions)}\nGROUP BY ${who}`)}`

  const shown = shownLabels(plan.breakdown && { ...plan.breakdown, hideOther: false }, [
    ...plan.values.map(({ labels: own }) => own),
    (plan.breakdown?.parts ?? []).map(() => 'Other'),
  ])
  const flags = steps.map((step, at) => `${step} AS step_${at + 1}`)
  const events = `SELECT${columns([who, 'timestamp', ...flags, ...shown.columns])}
FROM events${where([...conditions, `(${steps.join('\n    OR ')})`])}`
  const each = plan.attribution.type === 'all_events'
  const pick = plan.attribution.type === 'last_touch' ? 'argMax' : 'argMin'
  // The first (or last) value that is one; none only when there never was one.
  const none = labels.map((label) => `${label} = ${quoted(NONE)}`).join(' AND ')
  const order = plan.attribution.type === 'last_touch' ? `(NOT (${none}), timestamp)` : `((${none}), timestamp)`
  const value = labels.length === 1 ? (labels[0] ?? '') : `(${labels.join(', ')})`
  const flagged = steps.map((_, at) => `step_${at + 1}`)
  const inner = each
    ? `SELECT${columns([who, `${value} AS label`, reached(flagged)])}\n${from(events)}\nGROUP BY 1, 2`
    : `SELECT${columns([who, `${pick}(${value}, ${order}) AS label`, reached(flagged)])}\n${from(events)}\nGROUP BY 1`
  const found =
    labels.length === 1 ? [`label AS ${labels[0]}`] : labels.map((label, at) => `label.${at + 1} AS ${label}`)
  const others = plan.breakdown?.hideOther
    ? where([labels.length === 1 ? "label != 'Other'" : "label.1 != 'Other'"])
    : ''
  return `SELECT${columns([...cohort.columns, ...found, ...counts])}
FROM (
  ${indented(inner)}
)${others}${group(labels.length)}`
}
