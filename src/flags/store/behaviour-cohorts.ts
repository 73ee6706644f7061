/**
 * Who is in cohorts by behaviour. Membership is asked of ClickHouse for all people of a cohort at once and kept for
 * seconds: no request waits for the engine while the answer is fresh, and one question at a time runs for each cohort.
 * Questions of flags have slots like all others of their organization (`questionsOf`), wait in a queue of their own, so
 * that a slow dashboard does not hold them up, and take only a few slots. After a question that failed the cohort is
 * left alone for a while: until then it counts as one that could not be read.
 */
import { type ClickHouse, questionsOf } from '../../engines/clickhouse/index.ts'
import type { Sql } from '../../engines/postgres/index.ts'
import { cohortMemberKeys, memberKeyOf, openInsightContext } from '../../insights/index.ts'
import { type Backoff, backoffMs } from '../../lib/backoff.ts'
import { MINUTE, SECOND } from '../../lib/durations.ts'
import { FairSlots } from '../../lib/fair-slots.ts'
import { atMost } from '../../lib/in-time.ts'
import type { Logger } from '../../lib/logger.ts'
import { BEHAVIOUR_MAX_AGE_MS } from '../rules/decision.ts'
import type { ProjectFlags } from '../rules/definition.ts'

/** Asked again in the background from this age on. */
const REFRESH_MS = BEHAVIOUR_MAX_AGE_MS / 2
/** A cohort nobody has asked about for this long is forgotten. */
const UNUSED_MS = 5 * MINUTE
const PATIENCE_MS = 3000
/** 8 bytes each. */
const MOST_MEMBERS = 2_000_000
/** Questions at a time: fewer than `questionsOf` allows, so that pages are answered beside them. */
const MOST_AT_ONCE = 4
const MOST_OF_ONE_ORGANIZATION = 3
const MOST_OF_ONE_PROJECT = 2
/** Short at first: after a restart of the engine, members that are still fresh enough are replaced in time. */
const PAUSE: Backoff = { firstMs: SECOND, longestMs: MINUTE }

interface Members {
  readonly flags: ProjectFlags
  readonly keys: BigUint64Array
  readonly at: number
}

interface Failure {
  /** Other definitions may not fail: they are asked about at once. */
  readonly flags: ProjectFlags
  /** In a row. */
  readonly count: number
  readonly pausedUntil: number
}

interface Asked {
  known: Members | null
  asking: Promise<void> | null
  /** Of the last question; null when it was answered. */
  failure: Failure | null
  usedAt: number
}

export class BehaviourCohorts {
  readonly #sql: Sql
  readonly #clickhouse: ClickHouse | null
  readonly #log: Logger
  readonly #pause: Backoff
  readonly #cohorts = new Map<string, Asked>()
  readonly #turns = new FairSlots({
    size: MOST_AT_ONCE,
    perOwner: MOST_OF_ONE_PROJECT,
    perGroup: MOST_OF_ONE_ORGANIZATION,
    // Each cohort waits once.
    mostWaiting: Number.POSITIVE_INFINITY,
    patienceMs: UNUSED_MS,
  })

  /** Without ClickHouse, flags that need one of these cohorts fail. */
  constructor(
    sql: Sql,
    clickhouse: ClickHouse | null,
    log: Logger,
    { pause = PAUSE }: { readonly pause?: Backoff } = {},
  ) {
    this.#sql = sql
    this.#clickhouse = clickhouse
    this.#log = log
    this.#pause = pause
  }

  /** Null when all cohorts of the project are known freshly enough, else when they are or could not be read. */
  ready(project: ProjectFlags): Promise<void> | null {
    const now = Date.now()
    const waits: Promise<void>[] = []
    for (const cohort of project.needs.behaviouralCohorts) {
      const asked = this.#find(project.projectId, cohort)
      asked.usedAt = now
      const age = asked.known === null ? Number.POSITIVE_INFINITY : now - asked.known.at
      // Other definitions may have changed who is meant.
      const old = asked.known?.flags !== project || age > BEHAVIOUR_MAX_AGE_MS
      const { failure } = asked
      const isPaused = failure !== null && failure.flags === project && now < failure.pausedUntil
      if ((old || age > REFRESH_MS) && !isPaused) asked.asking ??= this.#ask(project, cohort, asked)
      if (old && asked.asking) waits.push(asked.asking)
    }
    return waits.length === 0 ? null : atMost(PATIENCE_MS, Promise.all(waits))
  }

  isIn(project: number, cohort: number, uuid: string): { member: boolean; ageMs: number } | undefined {
    const known = this.#cohorts.get(`${project}:${cohort}`)?.known
    if (!known) return undefined
    const ageMs = Date.now() - known.at
    if (ageMs > BEHAVIOUR_MAX_AGE_MS) return undefined
    return { member: includes(known.keys, memberKeyOf(uuid)), ageMs }
  }

  #find(project: number, cohort: number): Asked {
    const key = `${project}:${cohort}`
    const known = this.#cohorts.get(key)
    if (known) return known
    for (const [other, { usedAt }] of this.#cohorts) if (Date.now() - usedAt > UNUSED_MS) this.#cohorts.delete(other)
    const asked: Asked = { known: null, asking: null, failure: null, usedAt: 0 }
    this.#cohorts.set(key, asked)
    return asked
  }

  async #ask(project: ProjectFlags, cohort: number, asked: Asked): Promise<void> {
    try {
      if (this.#clickhouse === null) return
      asked.known = await this.#read(this.#clickhouse, project, cohort)
      asked.failure = null
    } catch (error) {
      const count = asked.failure?.flags === project ? asked.failure.count + 1 : 1
      asked.failure = { flags: project, count, pausedUntil: Date.now() + backoffMs(count - 1, this.#pause) }
      this.#log.warn({ err: error as Error, cohort }, 'the members of a cohort could not be read for feature flags')
    } finally {
      asked.asking = null
    }
  }

  async #read(clickhouse: ClickHouse, flags: ProjectFlags, cohort: number): Promise<Members> {
    const { projectId: id, timezone } = flags
    const [project] = await this.#sql<{ organization_id: string }[]>`
      SELECT organization_id FROM projects WHERE id = ${id}`
    if (!project) throw new Error(`project ${id} is gone`)
    const release = await this.#turns.take(`${project.organization_id}/${id}`)
    try {
      const at = Date.now()
      const context = await openInsightContext({
        sql: this.#sql,
        clickhouse: questionsOf(clickhouse, { id, ...project, beside: 'flags' }),
        project: { id, timezone, week_start_day: 0, test_account_filters: [] },
        now: () => new Date(at),
      })
      return { flags, keys: await cohortMemberKeys(context, cohort, MOST_MEMBERS), at }
    } finally {
      release()
    }
  }
}

/** In a sorted list. */
function includes(keys: BigUint64Array, wanted: bigint): boolean {
  let low = 0
  let high = keys.length - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const key = keys[middle] as bigint
    if (key === wanted) return true
    if (key < wanted) low = middle + 1
    else high = middle - 1
  }
  return false
}
