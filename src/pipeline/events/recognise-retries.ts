import type { ClickHouse } from '../../engines/clickhouse/index.ts'
import { storedUuids } from '../../events/index.ts'
import { claimKey } from '../cluster/shared-claims.ts'
import { warn } from '../steps/step.ts'
import type { Batch, BatchEvent } from './batch.ts'
import type { UuidClaims } from './uuids-under-way.ts'

/**
 * A client that got no answer sends again: same project, same uuid. Such an event is in the tables already, or somebody has claimed its
 * uuid: a batch on its way there, or this one. Claiming comes before asking, so that no delivery slips through between the two.
 * Only uuids that clients made can come twice.
 */
export async function recogniseRetries(batch: Batch, clickhouse: ClickHouse, claims: UuidClaims): Promise<void> {
  const retries = new Set<BatchEvent>()
  const asked = new Map<number, string[]>()
  for (const event of batch.events) {
    const { project, uuid, clientUuid } = event.draft
    if (!clientUuid) continue
    if (!claims.claim(project.id, uuid)) retries.add(event)
    else asked.get(project.id)?.push(uuid) ?? asked.set(project.id, [uuid])
  }
  const stored = new Map<number, Set<string>>()
  for (const [project, uuids] of asked) stored.set(project, await storedUuids(clickhouse, project, uuids))

  dropRetries(
    batch,
    (event) =>
      retries.has(event) ||
      (event.draft.clientUuid && stored.get(event.draft.project.id)?.has(event.draft.uuid) === true),
  )
}

/** Drops the events that another partition is storing in another process. */
export const refuseClaimed = (batch: Batch, keys: ReadonlySet<string>): void =>
  dropRetries(batch, (event) => event.draft.clientUuid && keys.has(claimKey(event)))

function dropRetries(batch: Batch, isRetry: (event: BatchEvent) => boolean): void {
  batch.events = batch.events.filter((event) => {
    const { draft } = event
    const drop = isRetry(event)
    if (drop)
      batch.warnings.push({ ...warn(draft, 'duplicate_event'), project: draft.project.id, at: draft.receivedAt })
    return !drop
  })
}
