import type { TransactionSql } from '../engines/postgres/index.ts'
import type { Json } from '../lib/json.ts'

export interface Change {
  readonly type: string
  readonly action: 'created' | 'changed' | 'deleted' | 'split'
  readonly field: string | null
  readonly before: Json
  readonly after: Json
}

export interface Activity {
  readonly project: number
  /** Null: a user that is not there any more. */
  readonly userId: number | null
  readonly scope: 'Person' | 'Insight' | 'SessionRecordingPlaylist' | 'FeatureFlag' | 'Experiment'
  readonly itemId: number | string
  readonly activity: string
  readonly name: string
  readonly shortId?: string
  readonly changes?: readonly Change[]
}

/** Writes down who changed what by hand, in the transaction of the change. */
export async function noteActivities(tx: TransactionSql, activities: readonly Activity[]): Promise<void> {
  if (activities.length === 0) return
  const rows = activities.map(({ project, userId, scope, itemId, activity, name, shortId, changes }) => ({
    project_id: project,
    user_id: userId,
    scope,
    item_id: String(itemId),
    activity,
    detail: tx.json({ name, short_id: shortId ?? null, changes: changes ?? [], trigger: null, type: null } as never),
  }))
  await tx`INSERT INTO activity_log ${tx(rows)}`
}
