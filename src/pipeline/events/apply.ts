import { enqueue, type OutboxInsert } from '../../engines/outbox.ts'
import { inTransaction, type Sql, type TransactionSql } from '../../engines/postgres/index.ts'
import {
  type EventRow,
  HEATMAP_EVENT,
  ndjson,
  type ProjectWarning,
  packEventRows,
  recordWarnings,
} from '../../events/index.ts'
import {
  type DefinitionRecorder,
  type IdentifiedEvent,
  type IdentityEvent,
  type IdentityOutcome,
  type LeftOut,
  type NotedBatch,
  resolveIdentities,
} from '../../identity/index.ts'
import { movePosition } from '../cluster/position.ts'
import { claimUuids, type LookupTime } from '../cluster/shared-claims.ts'
import { recordDeadLetters } from '../shared/dead-letters.ts'
import { PACKED_EVENTS } from '../shared/deliver.ts'
import type { Batch, BatchEvent } from './batch.ts'
import { type OrderedEvent, orderEvents, readDeferred, saveDeferred } from './deferred.ts'

/** What a batch has enqueued for ClickHouse. */
export interface Applied {
  readonly ids: readonly number[]
  readonly inserts: readonly OutboxInsert[]
  readonly rows: readonly EventRow[]
  /** Warnings of the identity rules, beyond the batch's own. */
  readonly warnings: readonly ProjectWarning[]
}

export interface ApplyOptions {
  /** Records the names of events and properties. */
  readonly definitions?: DefinitionRecorder
  /**
   * When several processes share the partitions: the epoch of our lease, and when the uuids were looked up in
   * ClickHouse.
   */
  readonly shared?: { readonly epoch: number; readonly lookup: LookupTime } | undefined
  /** Do everything, including the checks of a commit, then throw this instead of committing. */
  readonly dryRun?: () => Error
}

/**
 * Applies a batch in one Postgres transaction: decides identities, writes warnings and dead letters, moves the
 * position, and enqueues the rows for ClickHouse. After a crash before the commit it runs again from the same state;
 * after the commit the position prevents a second run.
 */
export async function applyBatch(
  sql: Sql,
  batch: Batch,
  { definitions, shared, dryRun }: ApplyOptions = {},
): Promise<Applied> {
  let noted: NotedBatch | undefined
  const applied = await inTransaction(sql, async (tx) => {
    const events = batch.events.map(identityEvent)
    const { earlier, persons } = await readDeferred(tx, events)
    const { order, left } = orderEvents(events, earlier, persons)
    await saveDeferred(tx, earlier, left)
    const decided = await resolveIdentities(
      tx,
      order.map(({ event }) => event),
      new Date(),
    )
    const outcome = ofTheBatch(decided, order)
    const { rows, warnings } = rowsOf(batch.events, outcome)
    noted = definitions?.note(definitionEvents(batch.events, outcome), new Date())
    for (const left of (await noted?.limit(tx)) ?? []) warnings.push(namesLeftOut(left))
    await recordWarnings(tx, [...batch.warnings, ...warnings])
    await recordDeadLetters(tx, batch.range.partition, batch.deadLetters)
    await markFirstEvents(tx, rows, batch)
    const inserts = insertsOf(batch, rows, outcome)
    if (shared) await claimUuids(tx, batch.range, batch.events, shared.lookup)
    const ids = await moveAndEnqueue(tx, batch, inserts, shared?.epoch)
    await noted?.write(tx)
    if (dryRun) {
      await tx`SET CONSTRAINTS ALL IMMEDIATE`
      throw dryRun()
    }
    return { ids, inserts, rows, warnings }
  })
  noted?.committed()
  return applied
}

const namesLeftOut = ({ project, kind, count, names }: LeftOut): ProjectWarning => ({
  type: 'too_many_names',
  event: kind === 'events' ? (names[0] ?? null) : null,
  distinctId: null,
  uuid: null,
  details: { kind, names: [...names] },
  count,
  project,
  at: Date.now(),
})

/** The outcome without the deferred updates, which are not stored as events. */
const ofTheBatch = ({ events, rows }: IdentityOutcome, order: readonly OrderedEvent[]): IdentityOutcome => ({
  events: events.filter((_, at) => typeof order[at]?.index === 'number'),
  rows,
})

function definitionEvents(events: readonly BatchEvent[], outcome: IdentityOutcome) {
  return events.flatMap(({ event }, i) => {
    const result = outcome.events[i] as IdentifiedEvent
    if (result.kind !== 'keep' || event.event === HEATMAP_EVENT) return []
    return [
      {
        project: event.project.id,
        event: event.event,
        properties: result.properties,
        groupTypeIndex: result.groupTypeIndex,
      },
    ]
  })
}

const identityEvent = ({ event }: BatchEvent): IdentityEvent => ({
  project: event.project.id,
  uuid: event.uuid,
  event: event.event,
  distinctId: event.distinctId,
  timestamp: event.timestamp,
  properties: event.properties,
  personProcessing: event.personProcessing,
})

function rowsOf(
  events: readonly BatchEvent[],
  outcome: IdentityOutcome,
): { rows: EventRow[]; warnings: ProjectWarning[] } {
  const rows: EventRow[] = []
  const warnings: ProjectWarning[] = []
  for (let i = 0; i < events.length; i++) {
    const { event } = events[i] as BatchEvent
    const result = outcome.events[i] as IdentityOutcome['events'][number]
    for (const warning of result.warnings)
      warnings.push({ ...warning, project: event.project.id, at: event.receivedAt })
    if (result.kind === 'drop') continue
    rows.push({
      projectId: event.project.id,
      uuid: event.uuid,
      event: event.event,
      timestamp: event.timestamp,
      receivedAt: event.receivedAt,
      distinctId: result.distinctId,
      personId: result.personId,
      personMode: result.personMode,
      personCreatedAt: result.personCreatedAt,
      sessionId: event.sessionId,
      groups: result.groups,
      elementsChain: event.elementsChain,
      properties: result.properties,
      personProperties: result.personProperties,
      heatmap: event.heatmap,
      packed: undefined,
    })
  }
  return { rows, warnings }
}

/** Event rows are packed in the outbox; `deliver.ts` turns them into inserts. */
function insertsOf({ range }: Batch, rows: readonly EventRow[], outcome: IdentityOutcome): OutboxInsert[] {
  const token = `${range.partition}:${range.from}-${range.next}`
  const copies = Object.entries(outcome.rows) as [string, readonly object[]][]
  const inserts = copies
    .filter(([, copied]) => copied.length > 0)
    .map(([table, copied]) => ({ table, rows: ndjson(copied) }))
  if (rows.length > 0) inserts.push({ table: PACKED_EVENTS, rows: packEventRows(rows) })
  return inserts.map((insert) => ({ ...insert, token: `${token}:${insert.table}` }))
}

async function moveAndEnqueue(
  tx: TransactionSql,
  { range }: Batch,
  inserts: readonly OutboxInsert[],
  epoch: number | undefined,
): Promise<readonly number[]> {
  await movePosition(tx, range, epoch)
  return inserts.length === 0 ? [] : enqueue(tx, range.partition, inserts)
}

/** Marks projects that have their first event, for the onboarding page. */
async function markFirstEvents(tx: TransactionSql, rows: readonly EventRow[], batch: Batch): Promise<void> {
  const stored = new Set(rows.map(({ projectId }) => projectId))
  const first = new Set(
    batch.events
      .filter(({ event }) => !event.project.ingestedEvent && stored.has(event.project.id))
      .map(({ event }) => event.project.id),
  )
  if (first.size > 0)
    await tx`UPDATE projects SET ingested_event = true WHERE id IN ${tx([...first])} AND NOT ingested_event`
}
