/**
 * What a project asks, in slots that all projects share: each waits in a queue of its own, none holds the last slot, and the embedded engine
 * keeps its other readers for the pipeline. A statement holds its slot while it runs, so a question of several statements lets others in
 * between.
 */
import { ApiError } from '../../http/errors.ts'
import { FairSlots, NoSlot, type SlotCounts } from '../../lib/fair-slots.ts'
import type { ClickHouse, QueryOptions } from './client.ts'
import { QUESTION_READERS, QUESTIONS_OF_ONE_PROJECT } from './embedded/engine-config.ts'
import { ClickHouseFailure, QUERY_WAS_CANCELLED } from './failure.ts'

/** More than the tiles of the largest dashboards of a few people at once. */
const MOST_WAITING = 100
const PATIENCE_MS = 60_000
const COME_BACK_SECONDS = 5

/** Whose slot a probe takes. */
export const ASKER_OF_PROBES = 0

/** One set of slots for all who ask the same engine. */
const slotsOfEngines = new WeakMap<ClickHouse, FairSlots>()

function slotsOf(clickhouse: ClickHouse): FairSlots {
  const slots =
    slotsOfEngines.get(clickhouse) ??
    new FairSlots({
      size: QUESTION_READERS,
      perAsker: QUESTIONS_OF_ONE_PROJECT,
      mostWaiting: MOST_WAITING,
      patienceMs: PATIENCE_MS,
    })
  slotsOfEngines.set(clickhouse, slots)
  return slots
}

export const slotCounts = (clickhouse: ClickHouse): SlotCounts => slotsOf(clickhouse).counts()

/** The engine as one project may use it. */
export function questionsOf(clickhouse: ClickHouse, project: number): ClickHouse {
  const slots = slotsOf(clickhouse)
  // A server counts by this key when the operator gave it a quota for each; ours tells questions from its own work by it.
  const onBehalf = (options: QueryOptions): QueryOptions => ({
    ...options,
    settings: { ...options.settings, quota_key: `project-${project}` },
  })
  const take = (signal: AbortSignal | undefined) =>
    slots.take(String(project), signal).catch((error) => Promise.reject(refusal(error, signal)))
  return {
    ...clickhouse,
    async query(fragment, options = {}) {
      const release = await take(options.signal)
      return clickhouse.query<never>(fragment, onBehalf(options)).finally(release)
    },
    async *stream(fragment, options = {}) {
      const release = await take(options.signal)
      try {
        yield* clickhouse.stream<never>(fragment, onBehalf(options))
      } finally {
        release()
      }
    },
    async *native(fragment, options = {}) {
      const release = await take(options.signal)
      try {
        yield* clickhouse.native(fragment, onBehalf(options))
      } finally {
        release()
      }
    },
  }
}

function refusal(error: unknown, signal: AbortSignal | undefined): unknown {
  if (error instanceof NoSlot)
    return new ApiError(
      'throttled',
      `This project has ${error.running} questions running and ${error.waiting} waiting, which is all it may have: ask again in ${COME_BACK_SECONDS} seconds.`,
      { retryAfterSeconds: COME_BACK_SECONDS },
    )
  if (!signal?.aborted) return error
  return new ClickHouseFailure('The query was cancelled.', {
    code: QUERY_WAS_CANCELLED,
    type: 'QUERY_WAS_CANCELLED',
    kind: 'other',
    cause: error,
  })
}
