import { isRetryable, type Sql } from '../engines/postgres/index.ts'
import { applyBatch } from './apply.ts'
import { type Batch, type BatchEvent, bury } from './batch.ts'

class Rehearsed extends Error {}

/**
 * A batch that Postgres refuses for what is in it holds an event nobody foresaw. Finds such events by halving: every half is applied
 * in a transaction that is rolled back. They are buried, and the rest of the batch can go on.
 */
export async function isolatePoison(sql: Sql, batch: Batch): Promise<void> {
  const poison = await poisonIn(sql, batch, batch.events)
  if (poison.size === 0) throw new Error('the batch fails as a whole although none of its events does')
  batch.events = batch.events.filter((event) => !poison.has(event))
  for (const [event, error] of poison) bury(batch, event, 'refused_by_postgres', error.message)
}

async function poisonIn(sql: Sql, batch: Batch, events: readonly BatchEvent[]): Promise<Map<BatchEvent, Error>> {
  const error = await rehearse(sql, { ...batch, events: [...events] })
  if (!error) return new Map()
  if (events.length <= 1) return new Map(events.map((event) => [event, error]))
  const middle = events.length >> 1
  const first = await poisonIn(sql, batch, events.slice(0, middle))
  const second = await poisonIn(sql, batch, events.slice(middle))
  return new Map([...first, ...second])
}

async function rehearse(sql: Sql, batch: Batch): Promise<Error | null> {
  try {
    await applyBatch(sql, batch, { rehearsal: () => new Rehearsed() })
    return null
  } catch (error) {
    if (error instanceof Rehearsed) return null
    if (isRetryable(error)) throw error
    return error as Error
  }
}
