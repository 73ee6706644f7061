import type { Caller } from '../../accounts/index.ts'
import type { ActivityQuery, Activity as ActivityRecord } from '../../contract/resources/activity.ts'
import type { Sql, TransactionSql } from '../../engines/postgres/index.ts'
import type { Json } from '../../lib/json.ts'

export interface Change {
  readonly type: string
  readonly action: 'created' | 'changed' | 'deleted' | 'split'
  readonly field: string | null
  readonly before: Json
  readonly after: Json
}

interface Activity {
  readonly project: number
  readonly caller: Caller
  readonly scope: 'Person' | 'Insight' | 'SessionRecordingPlaylist'
  readonly itemId: number | string
  readonly activity: string
  readonly name: string
  readonly shortId?: string
  readonly changes?: readonly Change[]
}

/** Writes down who changed what by hand, in the transaction of the change. */
export async function noteActivities(tx: TransactionSql, activities: readonly Activity[]): Promise<void> {
  if (activities.length === 0) return
  const rows = activities.map(({ project, caller, scope, itemId, activity, name, shortId, changes }) => ({
    project_id: project,
    user_id: caller.user.id,
    scope,
    item_id: String(itemId),
    activity,
    detail: tx.json({ name, short_id: shortId ?? null, changes: changes ?? [], trigger: null, type: null } as never),
  }))
  await tx`INSERT INTO activity_log ${tx(rows)}`
}

export async function readActivity(
  sql: Sql,
  url: URL,
  { limit, page }: ActivityQuery,
  of: { readonly project: number; readonly scope: string; readonly itemId?: string },
) {
  const where = sql`
    a.project_id = ${of.project} AND a.scope = ${of.scope} ${of.itemId === undefined ? sql`` : sql`AND a.item_id = ${of.itemId}`}`
  const [counted] = await sql<[{ count: number }]>`SELECT count(*) AS count FROM activity_log a WHERE ${where}`
  const results = await sql<(Omit<ActivityRecord, 'created_at'> & { readonly created_at: Date })[]>`
    SELECT a.id, CASE WHEN u.id IS NULL THEN NULL ELSE json_build_object('first_name', u.first_name, 'email', u.email) END AS user,
      a.activity, a.scope, a.item_id, a.detail, a.created_at
    FROM activity_log a LEFT JOIN users u ON u.id = a.user_id
    WHERE ${where} ORDER BY a.id DESC LIMIT ${limit} OFFSET ${(page - 1) * limit}`
  const at = (number: number) => {
    const other = new URL(url)
    other.searchParams.set('page', String(number))
    return other.toString()
  }
  return {
    results,
    next: page * limit < counted.count ? at(page + 1) : null,
    previous: page > 1 ? at(page - 1) : null,
    total_count: counted.count,
  }
}
