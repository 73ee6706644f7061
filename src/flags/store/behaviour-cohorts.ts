/**
 * Who is in cohorts by behaviour. Membership is asked of ClickHouse for all people of a cohort at once and kept for
 * seconds: no request waits for the engine while the answer is fresh, and one question at a time runs for each cohort.
 */
import type { ClickHouse } from '../../engines/clickhouse/index.ts'
import type { Sql } from '../../engines/postgres/index.ts'
import { cohortMemberKeys, memberKeyOf, openInsightContext } from '../../insights/index.ts'
import { atMost } from '../../lib/in-time.ts'
import type { Logger } from '../../lib/logger.ts'
import { BEHAVIOUR_MAX_AGE_MS } from '../rules/decision.ts'
import type { ProjectFlags } from '../rules/definition.ts'

/** Asked again in the background from this age on. */
const REFRESH_MS = BEHAVIOUR_MAX_AGE_MS / 2
/** A cohort nobody has asked about for this long is forgotten. */
const UNUSED_MS = 5 * 60_000
const PATIENCE_MS = 3000
/** 8 bytes each. */
const MOST_MEMBERS = 2_000_000

interface Members {
  readonly flags: ProjectFlags
  readonly keys: BigUint64Array
  readonly at: number
}

interface Asked {
  known: Members | null
  asking: Promise<void> | null
  usedAt: number
}

export class BehaviourCohorts {
  readonly #sql: Sql
  readonly #clickhouse: ClickHouse | null
  readonly #log: Logger
  readonly #cohorts = new Map<string, Asked>()

  /** Without ClickHouse, flags that need one of these cohorts fail. */
  constructor(sql: Sql, clickhouse: ClickHouse | null, log: Logger) {
    this.#sql = sql
    this.#clickhouse = clickhouse
    this.#log = log
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
      if (old || age > REFRESH_MS) asked.asking ??= this.#ask(project, cohort, asked)
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
    const asked: Asked = { known: null, asking: null, usedAt: 0 }
    this.#cohorts.set(key, asked)
    return asked
  }

  async #ask(project: ProjectFlags, cohort: number, asked: Asked): Promise<void> {
    const at = Date.now()
    try {
      if (this.#clickhouse === null) return
      const context = await openInsightContext({
        sql: this.#sql,
        clickhouse: this.#clickhouse,
        project: { id: project.projectId, timezone: project.timezone, week_start_day: 0, test_account_filters: [] },
        now: () => new Date(at),
      })
      const keys = await cohortMemberKeys(context, cohort, MOST_MEMBERS)
      asked.known = { flags: project, keys, at }
    } catch (error) {
      this.#log.warn({ err: error as Error, cohort }, 'the members of a cohort could not be read for feature flags')
    } finally {
      asked.asking = null
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
