import { isTroubleOfPostgres, type Sql } from '../../engines/postgres/index.ts'
import { type ApplyOptions, applyBatch } from './apply.ts'
import { type Batch, type BatchEvent, bury } from './batch.ts'

class Rehearsed extends Error {}

/**
 * buried       events were taken out of the batch, which is worth another try
 * no culprit   the batch passes a rehearsal: nothing is known against any of its events
 * not events   Postgres refuses it even without events: they are not to blame, and waiting is all that helps
 */
type Verdict = 'buried' | 'no culprit' | 'not events'

const REASON = 'refused_by_postgres'

/**
 * A batch that Postgres refuses for what is in it holds an event nobody foresaw. Finds such events by halving: every half is applied
 * in a transaction that is rolled back. When each half is fine by itself, events spoil it together: then the first one goes that spoils
 * what came before it. Buries one event at least or says why not, so the batch comes to an end whatever is in it.
 */
export async function isolatePoison(sql: Sql, batch: Batch, options: ApplyOptions): Promise<Verdict> {
  const refusal = (events: readonly BatchEvent[]) => rehearse(sql, { ...batch, events: [...events] }, options)
  const whole = await refusal(batch.events)
  if (!whole) return 'no culprit'
  if (batch.events.length === 0 || (await refusal([]))) return 'not events'
  const poison = await poisonIn(refusal, batch.events, whole)
  if (poison.size === 0) {
    const [event, error] = await firstToSpoil(refusal, batch.events, whole)
    poison.set(event, error)
  }
  batch.events = batch.events.filter((event) => !poison.has(event))
  for (const [event, error] of poison) bury(batch, event, REASON, error.message)
  return 'buried'
}

/** When nothing can be found against any of its events and Postgres refuses the batch again and again: all of them, kept whole. */
export function buryAll(batch: Batch, error: Error): void {
  for (const event of batch.events) bury(batch, event, REASON, error.message)
  batch.events = []
}

type Refusal = (events: readonly BatchEvent[]) => Promise<Error | null>

/** The events that are refused by themselves, among events that are refused with `error`. */
async function poisonIn(
  refusal: Refusal,
  events: readonly BatchEvent[],
  error: Error,
): Promise<Map<BatchEvent, Error>> {
  if (events.length <= 1) return new Map(events.map((event) => [event, error]))
  const middle = events.length >> 1
  const found = new Map<BatchEvent, Error>()
  for (const half of [events.slice(0, middle), events.slice(middle)]) {
    const refused = await refusal(half)
    if (refused) for (const [event, why] of await poisonIn(refusal, half, refused)) found.set(event, why)
  }
  return found
}

/** No events are fine, all of them are not: somewhere between lies one with which it turns. */
async function firstToSpoil(
  refusal: Refusal,
  events: readonly BatchEvent[],
  error: Error,
): Promise<[BatchEvent, Error]> {
  let fine = 0
  let spoilt = events.length
  let why = error
  while (spoilt - fine > 1) {
    const middle = (fine + spoilt) >> 1
    const refused = await refusal(events.slice(0, middle))
    if (refused) {
      spoilt = middle
      why = refused
    } else fine = middle
  }
  return [events[spoilt - 1] as BatchEvent, why]
}

async function rehearse(sql: Sql, batch: Batch, options: ApplyOptions): Promise<Error | null> {
  try {
    await applyBatch(sql, batch, { ...options, rehearsal: () => new Rehearsed() })
    return null
  } catch (error) {
    if (error instanceof Rehearsed) return null
    if (isTroubleOfPostgres(error)) throw error
    return error as Error
  }
}
