import { type OutboxInsert, promise } from '../../engines/outbox.ts'
import { inTransaction, type Sql, type TransactionSql } from '../../engines/postgres/index.ts'
import { type EventRow, ndjson, type ProjectWarning, packEventRows, recordWarnings } from '../../events/index.ts'
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
import { type AskedAt, claimUuids } from '../cluster/shared-claims.ts'
import { recordDeadLetters } from '../shared/dead-letters.ts'
import { PACKED_EVENTS } from '../shared/deliver.ts'
import type { Batch, BatchEvent } from './batch.ts'
import { type InOrder, inOrder, keepPutOff, readPutOff, takeUpQuiet } from './deferred.ts'

/** What a batch promised to ClickHouse. */
export interface Applied {
  readonly ids: readonly number[]
  readonly inserts: readonly OutboxInsert[]
  readonly rows: readonly EventRow[]
  /** What the persons and groups of the batch had to say, beyond the batch's own warnings. */
  readonly warnings: readonly ProjectWarning[]
}

export interface ApplyOptions {
  /** Also apply what spikes put off that are over. */
  readonly withDeferred?: boolean
  /** Keeps the names of events and properties. */
  readonly definitions?: DefinitionRecorder
  /** When several processes share the partitions: under which epoch this one is ours, and when ClickHouse was asked about the uuids. */
  readonly shared?: { readonly epoch: number; readonly asked: AskedAt } | undefined
  /** Do everything, the checks of a commit too, then throw this instead of committing. */
  readonly rehearsal?: () => Error
}

/**
 * The moment of truth of a batch, in one transaction: identities are decided, the ledger and the dead letters written, the position
 * moved, and the rows for ClickHouse promised. Running it again after a crash before the commit starts from the same state; after the
 * commit the position keeps it from running again.
 */
export async function applyBatch(
  sql: Sql,
  batch: Batch,
  { withDeferred = false, definitions, shared, rehearsal }: ApplyOptions = {},
): Promise<Applied> {
  let noted: NotedBatch | undefined
  const applied = await inTransaction(sql, async (tx) => {
    const events = batch.events.map(identityEvent)
    const { earlier, persons } = await readPutOff(tx, events)
    const { order, left } = inOrder(events, earlier, persons)
    await keepPutOff(tx, earlier, left)
    const quiet = withDeferred ? await takeUpQuiet(tx) : []
    const decided = await resolveIdentities(tx, [...order.map(({ event }) => event), ...quiet], new Date())
    const outcome = ofTheBatch(decided, order)
    const { rows, warnings } = rowsOf(batch.events, outcome)
    noted = definitions?.note(definitionEvents(batch.events, outcome), new Date())
    for (const left of (await noted?.limit(tx)) ?? []) warnings.push(namesLeftOut(left))
    await recordWarnings(tx, [...batch.warnings, ...warnings])
    await recordDeadLetters(tx, batch.range.partition, batch.deadLetters)
    await markFirstEvents(tx, rows, batch)
    const inserts = insertsOf(batch, rows, outcome)
    if (shared) await claimUuids(tx, batch.range, batch.events, shared.asked)
    const ids = await moveAndPromise(tx, batch, inserts, shared?.epoch)
    await noted?.write(tx)
    if (rehearsal) {
      await tx`SET CONSTRAINTS ALL IMMEDIATE`
      throw rehearsal()
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

/** The outcome without what became of changes that were put off. */
const ofTheBatch = ({ events, rows }: IdentityOutcome, order: readonly InOrder[]): IdentityOutcome => ({
  events: events.filter((_, at) => typeof order[at]?.index === 'number'),
  rows,
})

function definitionEvents(events: readonly BatchEvent[], outcome: IdentityOutcome) {
  return events.flatMap(({ draft }, i) => {
    const result = outcome.events[i] as IdentifiedEvent
    if (result.kind !== 'keep') return []
    return [
      {
        project: draft.project.id,
        event: draft.event,
        properties: result.properties,
        groupTypeIndex: result.groupTypeIndex,
      },
    ]
  })
}

const identityEvent = ({ draft }: BatchEvent): IdentityEvent => ({
  project: draft.project.id,
  uuid: draft.uuid,
  event: draft.event,
  distinctId: draft.distinctId,
  timestamp: draft.timestamp,
  properties: draft.properties,
  personProcessing: draft.personProcessing,
})

function rowsOf(
  events: readonly BatchEvent[],
  outcome: IdentityOutcome,
): { rows: EventRow[]; warnings: ProjectWarning[] } {
  const rows: EventRow[] = []
  const warnings: ProjectWarning[] = []
  for (const [i, { draft }] of events.entries()) {
    const result = outcome.events[i] as IdentityOutcome['events'][number]
    for (const warning of result.warnings)
      warnings.push({ ...warning, project: draft.project.id, at: draft.receivedAt })
    if (result.kind === 'drop') continue
    rows.push({
      projectId: draft.project.id,
      uuid: draft.uuid,
      event: draft.event,
      timestamp: draft.timestamp,
      receivedAt: draft.receivedAt,
      distinctId: result.distinctId,
      personId: result.personId,
      personMode: result.personMode,
      personCreatedAt: result.personCreatedAt,
      sessionId: draft.sessionId,
      groups: result.groups,
      elementsChain: draft.elementsChain,
      properties: result.properties,
      personProperties: result.personProperties,
    })
  }
  return { rows, warnings }
}

/** Event rows stay packed in the outbox; `deliver.ts` knows what they become. */
function insertsOf({ range }: Batch, rows: readonly EventRow[], outcome: IdentityOutcome): OutboxInsert[] {
  const token = `${range.partition}:${range.from}-${range.next}`
  const copies = Object.entries(outcome.rows) as [string, readonly object[]][]
  const inserts = copies
    .filter(([, copied]) => copied.length > 0)
    .map(([table, copied]) => ({ table, rows: ndjson(copied) }))
  if (rows.length > 0) inserts.push({ table: PACKED_EVENTS, rows: packEventRows(rows) })
  return inserts.map((insert) => ({ ...insert, token: `${token}:${insert.table}` }))
}

async function moveAndPromise(
  tx: TransactionSql,
  { range }: Batch,
  inserts: readonly OutboxInsert[],
  epoch: number | undefined,
): Promise<readonly number[]> {
  await movePosition(tx, range, epoch)
  return inserts.length === 0 ? [] : promise(tx, range.partition, inserts)
}

/** Onboarding waits for the first event of a project. */
async function markFirstEvents(tx: TransactionSql, rows: readonly EventRow[], batch: Batch): Promise<void> {
  const stored = new Set(rows.map(({ projectId }) => projectId))
  const first = new Set(
    batch.events
      .filter(({ draft }) => !draft.project.ingestedEvent && stored.has(draft.project.id))
      .map(({ draft }) => draft.project.id),
  )
  if (first.size > 0)
    await tx`UPDATE projects SET ingested_event = true WHERE id IN ${tx([...first])} AND NOT ingested_event`
}
