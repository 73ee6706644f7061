import type { ClickHouse } from '../../engines/clickhouse/index.ts'
import { isTroubleOfPostgres, type Sql } from '../../engines/postgres/index.ts'
import { changeAndCopy, resolveIdentities } from '../../identity/index.ts'
import type { Logger } from '../../lib/logger.ts'
import { postponeOldestUpdate, takeQuietUpdates } from './deferred.ts'

/** One transaction applies at most so many. */
const AT_ONCE = 500

interface Deps {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  readonly log: Logger
}

/** Applies the person updates of spikes that are over. Returns how many. */
export async function applyDeferredUpdates(deps: Deps, signal: AbortSignal): Promise<number> {
  let applied = 0
  let limit = AT_ONCE
  while (!signal.aborted) {
    try {
      const some = await applySome(deps, limit)
      applied += some
      if (some < limit) return applied
    } catch (error) {
      if (isTroubleOfPostgres(error)) throw error
      // One of them is at fault: alone it shows itself, and the others go on without it.
      if (limit === 1) {
        deps.log.error(
          { err: error },
          'a deferred update of a person is refused by Postgres, and is tried again in an hour',
        )
        await postponeOldestUpdate(deps.sql)
      }
      limit = 1
    }
  }
  return applied
}

const applySome = (deps: Deps, limit: number): Promise<number> =>
  changeAndCopy(deps, async (tx) => {
    const updates = await takeQuietUpdates(tx, limit)
    if (updates.length === 0) return { result: 0, rows: {} }
    const { rows } = await resolveIdentities(tx, updates, new Date())
    return { result: updates.length, rows: { ...rows } }
  })
