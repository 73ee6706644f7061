import type { ClickHouse } from '../engines/clickhouse/index.ts'
import { storedUuids } from '../events/index.ts'
import type { Batch } from './batch.ts'
import { warn } from './step.ts'

/**
 * A client that got no answer sends again: same project, same uuid. Such an event is in the tables already, on its way there
 * (`underWay`: decided but not yet in ClickHouse), or earlier in this very batch. Only uuids that clients made can come twice.
 */
export async function recogniseRetries(
  batch: Batch,
  clickhouse: ClickHouse,
  underWay: (project: number, uuid: string) => boolean,
): Promise<void> {
  const asked = new Map<number, string[]>()
  for (const { draft } of batch.events) {
    if (!draft.clientUuid) continue
    const uuids = asked.get(draft.project.id)
    if (uuids) uuids.push(draft.uuid)
    else asked.set(draft.project.id, [draft.uuid])
  }
  if (asked.size === 0) return
  const seen = new Map<number, Set<string>>()
  for (const [project, uuids] of asked) seen.set(project, await storedUuids(clickhouse, project, uuids))

  batch.events = batch.events.filter(({ draft }) => {
    const known = seen.get(draft.project.id)
    if (!draft.clientUuid || !known) return true
    const uuid = draft.uuid.toLowerCase()
    if (known.has(draft.uuid) || known.has(uuid) || underWay(draft.project.id, uuid)) {
      batch.warnings.push({ ...warn(draft, 'duplicate_event'), project: draft.project.id, at: draft.receivedAt })
      return false
    }
    known.add(uuid)
    return true
  })
}
