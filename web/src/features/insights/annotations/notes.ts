import type { Annotation } from '../../../api/contract.ts'
import type { PlotNote } from '../../../ui/plot.ts'

/** What a chart stands on: annotations of one insight or dashboard are drawn there only. */
export interface ChartPlace {
  insight?: number | undefined
  dashboard?: number | undefined
}

export type Dated = Annotation & { date_marker: string }

const isDated = (annotation: Annotation): annotation is Dated => annotation.date_marker !== null

/** Those that belong on this chart. One about an insight that names none is about all of the project. */
export const annotationsOn = (all: readonly Annotation[], { insight, dashboard }: ChartPlace): Dated[] =>
  all.filter(isDated).filter(({ scope, dashboard_item, dashboard_id, hidden_in_user_interface, content }) => {
    if (hidden_in_user_interface || !content) return false
    if (scope === 'dashboard_item') return dashboard_item === null || dashboard_item === insight
    return scope === 'dashboard' ? dashboard_id !== null && dashboard_id === dashboard : true
  })

/** A moment as the days of series are written, in the project's time zone: 2026-11-15 09:30:00. */
export function localText(moment: string, zone: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  return parts.format(new Date(moment))
}

/** What a field for date and time says (2026-11-15T09:30), as a moment: the zone's clock showed it then. */
export function momentOf(local: string, zone: string): string {
  const wanted = Date.parse(`${local.slice(0, 16)}:00Z`)
  const shownAt = (moment: number) =>
    Date.parse(`${localText(new Date(moment).toISOString(), zone).replace(' ', 'T')}Z`)
  // Twice, because the first guess may lie on the other side of a change of the clock.
  let moment = wanted
  for (let turn = 0; turn < 2; turn++) moment += wanted - shownAt(moment)
  return new Date(moment).toISOString()
}

/** Which bucket each lies in; -1 for those before the first. The last bucket reaches to its end, which is not known. */
export function bucketOf(moment: string, days: readonly string[], zone: string): number {
  const text = localText(moment, zone)
  return days.findLastIndex((day) => day.replace('T', ' ').slice(0, 19) <= text)
}

/** One note a bucket, with the texts of all that lie in it. */
export function notesOf(annotations: readonly Dated[], days: readonly string[], zone: string): PlotNote[] {
  const texts = new Map<number, string[]>()
  for (const { date_marker, content, emoji } of annotations.toReversed()) {
    const at = bucketOf(date_marker, days, zone)
    if (at >= 0) texts.set(at, [...(texts.get(at) ?? []), [emoji, content].filter(Boolean).join(' ')])
  }
  return [...texts].map(([at, lines]) => ({ at, text: lines.join('\n') }))
}
