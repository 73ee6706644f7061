import { type Caller, type Activity as Noted, noteActivities as noteAll } from '../../accounts/index.ts'
import type { ActivityQuery, Activity as ActivityRecord } from '../../contract/resources/activity.ts'
import type { Sql, TransactionSql } from '../../engines/postgres/index.ts'

export type { Change } from '../../accounts/index.ts'

interface Activity extends Omit<Noted, 'userId'> {
  readonly caller: Caller
}

/** Writes down who changed what by hand, in the transaction of the change. */
export const noteActivities = (tx: TransactionSql, activities: readonly Activity[]): Promise<void> =>
  noteAll(
    tx,
    activities.map(({ caller, ...activity }) => ({ ...activity, userId: caller.user.id })),
  )

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
