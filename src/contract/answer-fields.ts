/** Fields that answers share. Answers are exact: what is not said here is not sent. */
import { z } from 'zod'
import type { Json, JsonObject } from '../lib/json.ts'

/** The id of a row. */
export const id = z.int()

/** Any version and variant: ids of events are their senders' choice. */
export const uuid = z.guid()

/** A moment as ISO 8601 text in UTC. A handler may give a Date: that is how JSON writes it. */
export const dateTime = z
  .union([z.iso.datetime(), z.date()])
  .transform((moment) => (moment instanceof Date ? moment.toISOString() : moment))
  .pipe(z.iso.datetime())

/** Anything that JSON can say, as a client or an event sent it. */
export const anyJson = z.custom<Json>((value) => value !== undefined)

/** Properties of an event, a person or a group: whatever was sent. */
export const properties = z.record(z.string(), anyJson) as z.ZodType<JsonObject, JsonObject>

/** An object whose keys are not ours to name. */
export const anyObject = z.record(z.string(), z.unknown())
