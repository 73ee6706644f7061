import { isTroubleOfPostgres, type Sql } from '../../engines/postgres/index.ts'
import { type ApplyOptions, applyBatch } from './apply.ts'
import { addDeadLetter, type Batch, type BatchEvent } from './batch.ts'

class DryRunDone extends Error {}

/**
 * removed      events were removed from the batch: try again
 * not found    the batch passes a dry run: no bad event was found
 * not events   Postgres refuses the batch even without events: wait
 */
type Verdict = 'removed' | 'not found' | 'not events'

const REASON = 'refused_by_postgres'

/**
 * Finds the events for which Postgres refuses a batch, by halving: every half is applied in a transaction that is
 * rolled back. When each half is fine by itself, events fail together: then the first event is removed that fails after
 * the ones before it. Each call removes at least one event or says why not, so every batch ends, whatever is in it.
 */
export async function isolatePoison(sql: Sql, batch: Batch, options: ApplyOptions): Promise<Verdict> {
  const refusal = (events: readonly BatchEvent[]) => tryEvents(sql, { ...batch, events: [...events] }, options)
  if (!(await refusal(batch.events))) return 'not found'
  if (batch.events.length === 0 || (await refusal([]))) return 'not events'
  // Once more: Postgres may have been mended since, and then the last of its refusals is no fault of any event.
  const whole = await refusal(batch.events)
  if (!whole) return 'not found'
  const poison = await poisonIn(refusal, batch.events, whole)
  if (poison.size === 0) {
    const [event, error] = await firstToBreak(refusal, batch.events, whole)
    poison.set(event, error)
  }
  batch.events = batch.events.filter((event) => !poison.has(event))
  for (const [event, error] of poison) addDeadLetter(batch, event, REASON, error.message)
  return 'removed'
}

/**
 * Last resort, when no bad event was found and Postgres refuses the batch again and again: all events become dead
 * letters.
 */
export function addAllAsDeadLetters(batch: Batch, error: Error): void {
  for (const event of batch.events) addDeadLetter(batch, event, REASON, error.message)
  batch.events = []
}

type Refusal = (events: readonly BatchEvent[]) => Promise<Error | null>

/** The events that fail alone, among events that fail together with `error`. */
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

/** Binary search for the shortest prefix that fails; its last event is the one to remove. */
async function firstToBreak(
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

async function tryEvents(sql: Sql, batch: Batch, options: ApplyOptions): Promise<Error | null> {
  try {
    await applyBatch(sql, batch, { ...options, dryRun: () => new DryRunDone() })
    return null
  } catch (error) {
    if (error instanceof DryRunDone) return null
    if (isTroubleOfPostgres(error)) throw error
    return error as Error
  }
}
