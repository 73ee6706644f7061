/**
 * Runs the queries of projects in slots that all projects share: each project waits in a queue of its own, no
 * organisation may hold the last slot, and the embedded engine keeps its other readers for the pipeline. A statement holds its slot
 * while it runs, so between two statements of one query others may run.
 */

import { ApiError } from '../../http/errors.ts'
import { MINUTE } from '../../lib/durations.ts'
import { FairSlots, NoSlot, type SlotCounts } from '../../lib/fair-slots.ts'
import type { ClickHouse, QueryOptions } from './client.ts'
import {
  QUESTION_READERS,
  QUESTIONS_OF_ONE_ORGANIZATION,
  QUESTIONS_OF_ONE_PROJECT,
} from './embedded/config/engine-config.ts'
import { ClickHouseFailure, QUERY_WAS_CANCELLED } from './failure.ts'

/** More than a few people need who open the largest dashboards at once. */
const MOST_WAITING = 100
const PATIENCE_MS = MINUTE
const COME_BACK_SECONDS = 5
const TIMEOUT_EXCEEDED = 159

export interface Asker {
  /** Of the project. */
  readonly id: number
  readonly organization_id: string
  /** What waits in a queue of its own beside the pages of the project. */
  readonly beside?: 'flags'
}

/** The owner of a probe's slot. */
export const ASKER_OF_PROBES: Asker = { id: 0, organization_id: 'probes' }

interface Share {
  readonly slots: FairSlots
  /** Queries that were killed because they ran too long. */
  overran: number
}

/** One set of slots for each engine. */
const shares = new WeakMap<ClickHouse, Share>()

function shareOf(clickhouse: ClickHouse): Share {
  const slots = () =>
    new FairSlots({
      size: QUESTION_READERS,
      perOwner: QUESTIONS_OF_ONE_PROJECT,
      perGroup: QUESTIONS_OF_ONE_ORGANIZATION,
      mostWaiting: MOST_WAITING,
      patienceMs: PATIENCE_MS,
    })
  const share = shares.get(clickhouse) ?? { slots: slots(), overran: 0 }
  shares.set(clickhouse, share)
  return share
}

/** Another client of the same engine takes its slots from the same set. */
export function shareSlots(other: ClickHouse, clickhouse: ClickHouse): void {
  shares.set(other, shareOf(clickhouse))
}

export interface QuestionCounts extends SlotCounts {
  /** Since the start: queries that were killed because they ran too long. */
  readonly overran: number
}

export function questionCounts(clickhouse: ClickHouse): QuestionCounts {
  const { slots, overran } = shareOf(clickhouse)
  return { ...slots.counts(), overran }
}

/** The engine for one project. */
export function questionsOf(clickhouse: ClickHouse, { id, organization_id, beside }: Asker): ClickHouse {
  const share = shareOf(clickhouse)
  const owner = `organization-${organization_id}/project-${id}${beside ? `-${beside}` : ''}`
  // A server applies quotas by this key, if the operator has set some; the embedded engine tells queries of projects by
  // it.
  const onBehalf = (options: QueryOptions): QueryOptions => ({
    ...options,
    settings: { ...options.settings, quota_key: owner },
  })
  const take = (signal: AbortSignal | undefined) =>
    share.slots.take(owner, signal).catch((error) => Promise.reject(refusal(error, signal)))
  return {
    ...clickhouse,
    async query(fragment, options = {}) {
      const release = await take(options.signal)
      return clickhouse
        .query<never>(fragment, onBehalf(options))
        .catch((error) => {
          if (error instanceof ClickHouseFailure && error.code === TIMEOUT_EXCEEDED) share.overran++
          throw error
        })
        .finally(release)
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
