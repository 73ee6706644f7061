import { eventName, propertyName } from '../../lib/names.ts'
import { type Draft, isByCohort, type Series } from './draft.ts'
import { countedAs } from './views/series-names.ts'

/** What a question is called until somebody names it. */
export function derivedName(draft: Draft): string {
  const first = draft.series[0]
  const names = draft.series.map(seriesText).join(', ')
  const by = draft.breakdown?.length
    ? ` by ${isByCohort(draft) ? 'cohort' : draft.breakdown.map(({ property }) => propertyName(property)).join(', ')}`
    : ''
  switch (draft.kind) {
    case 'trends':
      return `${draft.formula ? draft.formula : names}${by}` || 'Trend'
    case 'funnel':
      return draft.series.length > 0
        ? `${draft.series.map(({ event, name }) => name || eventName(event)).join(' → ')}${by}`
        : 'Funnel'
    case 'retention':
      return `Retention of ${eventName(first?.event)}${by}`
    case 'paths':
      return draft.startPoint ? `Paths from ${draft.startPoint}` : 'Paths'
    case 'lifecycle':
      return `Lifecycle of ${eventName(first?.event)}`
    case 'stickiness':
      return `Stickiness of ${names}`
    case 'sql':
      return sqlName(draft.sql ?? '')
  }
}

/** A query is named by a comment on its first line, else by the table it reads. */
function sqlName(sql: string): string {
  const comment = /^\s*--\s*(\S.*)/.exec(sql)?.[1]?.trim()
  const table = /\bfrom\s+(\w+)/i.exec(sql)?.[1]
  return comment?.slice(0, 120) ?? (table ? `SQL over ${table}` : 'SQL')
}

const seriesText = ({ event, name, math, property }: Series): string =>
  name || `${eventName(event)}${countedAs(math, property)}`
