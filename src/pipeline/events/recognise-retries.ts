import type { ClickHouse } from '../../engines/clickhouse/index.ts'
import { storedUuids } from '../../events/index.ts'
import { claimKey } from '../cluster/shared-claims.ts'
import { warn } from '../steps/step.ts'
import type { Batch, BatchEvent } from './batch.ts'
import type { UuidClaims } from './uuids-in-progress.ts'

/**
 * A client that got no response sends again: same project, same uuid. Such an event is already in the tables, or its
 * uuid is claimed, by this batch or by one that is not delivered yet. Uuids are claimed before ClickHouse is queried,
 * so that no delivery in between is missed. Only uuids made by clients can come twice, or those of a log in which a
 * record may be twice.
 */
export async function recogniseRetries(batch: Batch, clickhouse: ClickHouse, claims: UuidClaims): Promise<void> {
  const retries = new Set<BatchEvent>()
  const asked = new Map<number, string[]>()
  for (const item of batch.events) {
    const { project, uuid, clientUuid } = item.event
    if (!clientUuid) continue
    if (!claims.claim(project.id, uuid)) retries.add(item)
    else asked.get(project.id)?.push(uuid) ?? asked.set(project.id, [uuid])
  }
  const stored = new Map<number, Set<string>>()
  for (const [project, uuids] of asked) stored.set(project, await storedUuids(clickhouse, project, uuids))

  dropRetries(
    batch,
    (item) =>
      retries.has(item) || (item.event.clientUuid && stored.get(item.event.project.id)?.has(item.event.uuid) === true),
  )
}

/** Drops the events that another process is storing in another partition. */
export const dropClaimed = (batch: Batch, keys: ReadonlySet<string>): void =>
  dropRetries(batch, (item) => item.event.clientUuid && keys.has(claimKey(item)))

function dropRetries(batch: Batch, isRetry: (item: BatchEvent) => boolean): void {
  batch.events = batch.events.filter((item) => {
    const { event } = item
    const drop = isRetry(item)
    if (drop)
      batch.warnings.push({ ...warn(event, 'duplicate_event'), project: event.project.id, at: event.receivedAt })
    return !drop
  })
}
