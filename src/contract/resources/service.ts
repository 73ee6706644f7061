/** What the service says of itself and of what it did: warnings, deletions, its state, the demo. */
import { z } from 'zod'
import { anyObject, dateTime, id, uuid } from '../answer-fields.ts'

/** Events that were dropped or mended, or a merge that was refused: one row a reason. */
export const ingestionWarningSchema = z
  .object({
    type: z.string(),
    count: z.int(),
    first_seen: dateTime,
    last_seen: dateTime,
    samples: z.array(
      z.object({
        timestamp: dateTime,
        event: z.string().nullable(),
        distinct_id: z.string().nullable(),
        uuid: z.string().nullable(),
        details: anyObject,
      }),
    ),
    title: z.string().optional(),
    happened: z.string().optional(),
    fix: z.string().optional(),
  })
  .meta({ id: 'IngestionWarning' })
export type IngestionWarning = z.infer<typeof ingestionWarningSchema>

/** What was asked to be erased, and the receipt once it was. */
export const deletionSchema = z
  .object({
    id,
    kind: z.literal('person'),
    project_id: id,
    person_uuid: uuid,
    delete_events: z.boolean(),
    delete_recordings: z.boolean(),
    requested_at: dateTime,
    requested_by: z.string().nullable(),
    scheduled_for: dateTime,
    status: z.enum(['pending', 'done']),
    ran_at: dateTime.nullable(),
    events_deleted: z.int().nullable(),
    recordings_deleted: z.int().nullable(),
    verified: z.boolean().nullable(),
    error: z.string().nullable().meta({ description: 'Why the last run could not erase everything.' }),
    progress: z
      .object({
        table: z.string(),
        parts: z.int().meta({ description: 'Parts of the table that had to be rewritten.' }),
        parts_left: z.int(),
        servers_left: z.int(),
      })
      .nullable()
      .meta({ description: 'While ClickHouse erases: how far it is.' }),
  })
  .meta({ id: 'Deletion' })
export type Deletion = z.infer<typeof deletionSchema>

export const demoProgressSchema = z
  .object({
    state: z.enum(['sending', 'storing', 'done', 'failed']),
    looked: z.int().meta({ description: 'Events looked at so far.' }),
    total: z.int(),
    events: z.int(),
    recordings: z.int(),
    dashboard: id.nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'DemoProgress' })
export type DemoProgress = z.infer<typeof demoProgressSchema>
export const demoStateSchema = z.object({ progress: demoProgressSchema.nullable() })
export const demoRequestSchema = z.object({ visitors: z.int().min(1).max(100_000).optional() })

const engine = z.object({
  embedded: z.boolean(),
  state: z.string().optional(),
  restarts: z.int().optional(),
})

export const findingSchema = z
  .object({ check: z.string(), ok: z.boolean(), detail: z.string() })
  .meta({ id: 'Finding' })

/** Who was slowed down or refused in the last hour to protect others, the most often first. */
export const heldBackSchema = z
  .object({
    reason: z.string(),
    address: z.string().nullable(),
    project: id.nullable(),
    count: z.int(),
    last_at: dateTime,
  })
  .meta({ id: 'HeldBack' })
export type HeldBack = z.infer<typeof heldBackSchema>

export const serviceStatusSchema = z
  .object({
    pid: z.int(),
    version: z.string(),
    node: z.string(),
    url: z.string(),
    data: z.string(),
    disk_free_bytes: z.number(),
    roles: z.array(z.string()),
    started_at: dateTime,
    postgres: engine,
    clickhouse: engine,
    log: z
      .object({
        kind: z.enum(['embedded', 'nats']),
        writable: z.boolean(),
        reason: z.string().nullable(),
        backlog_bytes: z.number(),
        backlog_limit_bytes: z.number().meta({ description: 'Events are refused when so much waits.' }),
        partitions: z.record(z.string(), z.object({ end: z.number(), released: z.number() })),
      })
      .nullable(),
    pipeline: z
      .object({
        running: z.boolean(),
        restarts: z.int(),
        stalled_seconds: z.number(),
        inserts_owed_to_clickhouse: z.int(),
      })
      .nullable(),
    questions: z
      .object({ running: z.int(), waiting: z.int(), askers: z.int(), refused: z.int(), overran: z.int() })
      .nullable(),
    held_back: z.array(heldBackSchema),
    dead_letters: z.int(),
  })
  .meta({ id: 'ServiceStatus' })
export type ServiceStatus = z.infer<typeof serviceStatusSchema>

export const instanceStatusSchema = z
  .object({ status: serviceStatusSchema, findings: z.array(findingSchema) })
  .meta({ id: 'InstanceStatus' })
export type InstanceStatus = z.infer<typeof instanceStatusSchema>
