import type { TransactionSql } from '../../engines/postgres/index.ts'
import type { Json } from '../../lib/json.ts'
import type { Playlist } from '../../recordings/index.ts'
import { type Change, noteActivities } from '../frame/activity.ts'
import type { ProjectCall } from '../frame/context.ts'

export const SCOPE = 'SessionRecordingPlaylist'
const NOTED = ['name', 'derived_name', 'description', 'pinned', 'deleted', 'filters'] as const

/** Writes down who made or changed a playlist. One without a name is a draft, and not worth a line. */
export async function notePlaylist(
  tx: TransactionSql,
  { project, caller }: Pick<ProjectCall, 'project' | 'caller'>,
  before: Playlist | null,
  after: Playlist,
): Promise<void> {
  const name = after.name || after.derived_name
  if (!name) return
  const changes = before === null ? [] : NOTED.flatMap((field) => changeOf(field, before[field], after[field]))
  if (before !== null && changes.length === 0) return
  const activity = before === null ? 'created' : 'updated'
  const shortId = after.short_id
  await noteActivities(tx, [
    { project: project.id, caller, scope: SCOPE, itemId: after.id, activity, name, shortId, changes },
  ])
}

function changeOf(field: string, before: Json, after: Json): Change[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  return [{ type: SCOPE, action: before === null ? 'created' : 'changed', field, before, after }]
}
