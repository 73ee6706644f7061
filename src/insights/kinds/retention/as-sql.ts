/** Retention as SQL that people read: how many came in an interval, and in which of the later ones they came back. */

import { type CohortPart, cohortParts, labelNames, separateLabels } from '../../as-sql/breakdown.ts'
import { actorOf, hasActor, inBrackets, planConditions, seriesParts } from '../../as-sql/conditions.ts'
import { columns, from, indented, notInSql, together, where } from '../../as-sql/text.ts'
import { moment, startOf, until, within } from '../../as-sql/time.ts'
import type { RetentionPlan } from './plan.ts'
import type { RetentionResult } from './run.ts'

/** Each once. groupUniqArray would forget the time zone. */
const distinct = (value: string, condition: string): string => `arrayDistinct(groupArrayIf(${value}, ${condition}))`

export function retentionSql({ plan, groups }: RetentionResult): string {
  if (plan.rolling) notInSql('Its intervals are counted from the moment each person came, not by the calendar.')
  if (plan.brackets !== undefined) notInSql('It puts several intervals together.')
  if (plan.cumulative) notInSql('It is cumulative: whoever comes back later counts before, too.')
  if (plan.minimumOccurrences > 1) notInSql(`Coming back means ${plan.minimumOccurrences} events in an interval.`)
  if (plan.type === 'retention_first_ever_occurrence') notInSql('It looks for the first event ever, by its name alone.')
  const answered = groups.map(({ labels }) => labels ?? [])
  const parts = cohortParts(plan.breakdown).map((cohort) => part(plan, answered, cohort))
  const keys = (plan.breakdown?.names ? 1 : 0) + (plan.breakdown?.parts.length ?? 0) + 2
  return together(parts, Array.from({ length: keys }, (_, at) => at + 1).join(', '))
}

function part(plan: RetentionPlan, answered: readonly (readonly string[])[], cohort: CohortPart): string {
  const { range, clock } = plan
  const { interval } = range
  const labels = labelNames(plan.breakdown)
  const who = actorOf(plan.groupIndex)
  // Whoever comes with one value and comes back with another has not come back, also when both are shown as "Other".
  const { names, ...shown } = separateLabels(plan.breakdown, answered)
  const recurs = plan.type === 'retention_recurring'
  const pairs = `SELECT${columns([...shown.shown, 'who', 'came', 'arrayJoin(arrayConcat([came], arrayFilter(at -> at > came, backs))) AS back'])}
${from(recurs ? recurring() : firstTime())}${where([`came >= ${moment(range.from, clock)}`, ...(recurs ? [] : shown.outside)])}`
  const keys = Array.from({ length: labels.length + 2 }, (_, at) => cohort.columns.length + at + 1).join(', ')
  return `SELECT${columns([
    ...cohort.columns,
    ...labels,
    `came AS ${interval}`,
    `dateDiff('${interval}', came, back) AS ${interval}s_later`,
    'uniqExact(who) AS people',
  ])}
${from(pairs)}
GROUP BY ${keys}`

  /** What is asked of events, whenever they happened. */
  function events(more: readonly string[]): string {
    const first = inBrackets(seriesParts(plan.target, plan))
    const again = inBrackets(seriesParts(plan.returning, plan))
    return `SELECT${columns([...shown.columns, `${who} AS who`, 'timestamp', `${first} AS comes`, `${again} AS returns`])}
FROM events${where([
      ...more,
      first === again ? first : `(${first} OR ${again})`,
      ...planConditions(plan),
      ...hasActor(plan.groupIndex),
      ...cohort.conditions,
      // Of somebody's first time the value counts, not that of what came before or after.
      ...(recurs ? shown.conditions : []),
    ])}`
  }

  function recurring(): string {
    const start = startOf(interval, 'timestamp', clock)
    return `SELECT${columns([...names, 'who', 'arrayJoin(starts) AS came', 'backs'])}
FROM (
  ${indented(`SELECT${columns([...names, 'who', `${distinct(start, 'comes')} AS starts`, `${distinct(start, 'returns')} AS backs`])}
${from(events(within(range, clock)))}
GROUP BY ${[...names, 'who'].join(', ')}`)}
)`
  }

  /** Whether it is somebody's first time is known from all that was before; the values are those of then. */
  function firstTime(): string {
    const start = startOf(interval, 'timestamp', clock)
    const own = names.map((name) => `argMinIf(${name}, timestamp, comes) AS ${name}`)
    return `SELECT${columns([...own, 'who', `${startOf(interval, 'minIf(timestamp, comes)', clock)} AS came`, `${distinct(start, 'returns')} AS backs`])}
${from(events([until(range, clock)]))}
GROUP BY who
HAVING countIf(comes) > 0`
  }
}
