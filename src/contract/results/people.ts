/** Lists of the people behind a number, where the links of legacy answers lead. */
import { z } from 'zod'
import type { Wire } from './wire.ts'

export const matchedRecordingSchema = z
  .object({
    session_id: z.string(),
    events: z.array(z.object({ uuid: z.string(), timestamp: z.string(), window_id: z.string() })),
  })
  .meta({ id: 'MatchedRecording' })

const seen = {
  matched_recordings: z.array(matchedRecordingSchema),
  value_at_data_point: z.number(),
}
const properties = z.record(z.string(), z.unknown())
const createdAt = z.iso.datetime().nullable()

const personBehindSchema = z
  .object({
    type: z.literal('person'),
    id: z.string(),
    uuid: z.string(),
    name: z.string(),
    distinct_ids: z.array(z.string()),
    properties,
    created_at: createdAt,
    is_identified: z.boolean().nullable(),
    ...seen,
  })
  .meta({ id: 'PersonBehindNumber' })

const groupBehindSchema = z
  .object({
    type: z.literal('group'),
    id: z.string(),
    group_key: z.string(),
    group_type_index: z.int(),
    properties,
    created_at: createdAt,
    ...seen,
  })
  .meta({ id: 'GroupBehindNumber' })

export const actorBehindSchema = z.discriminatedUnion('type', [personBehindSchema, groupBehindSchema])
export type ActorBehind = Wire<typeof actorBehindSchema>

export const insightPeopleSchema = z
  .object({
    results: z.tuple([z.object({ count: z.int(), people: z.array(actorBehindSchema) })]),
    next: z.string().nullable(),
    initial: z.string(),
    is_cached: z.literal(false),
    last_refresh: z.iso.datetime(),
  })
  .meta({ id: 'InsightPeople' })
export type InsightPeople = Wire<typeof insightPeopleSchema>
