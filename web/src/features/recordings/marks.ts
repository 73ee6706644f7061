import type { EventRecord } from '../../api/contract.ts'
import { asText } from '../../lib/as-text.ts'
import { eventName } from '../../lib/names.ts'

/** Something that happened during a recording, in ms since its beginning. */
export interface Mark {
  id: string
  name: string
  at: number
  tone: 'page' | 'event' | 'bad'
  detail: string
}

const TROUBLE = /^\$(exception|rageclick|dead_click)$|\b(fail|failed|error|crash)/i

export const marksOf = (events: readonly EventRecord[], began: number): Mark[] =>
  events
    .map(({ id, event, timestamp, properties }) => ({
      id,
      name: eventName(event),
      at: Date.parse(timestamp) - began,
      tone: toneOf(event),
      detail: asText(properties.$pathname ?? properties.$screen_name ?? ''),
    }))
    .sort((a, b) => a.at - b.at)

function toneOf(event: string): Mark['tone'] {
  if (TROUBLE.test(event)) return 'bad'
  return event === '$pageview' || event === '$screen' || event === '$pageleave' ? 'page' : 'event'
}
