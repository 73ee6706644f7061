import * as z from 'zod/mini'
import { date, field, flag, number, text } from '../../lib/search-schema.ts'
import { filterSchema } from '../insights/index.ts'

/** Which recordings are wanted: short, and only what differs from the default. */
export const recordingsSearch = z.object({
  from: date,
  to: date,
  filters: field(z.array(filterSchema)),
  /** Events that happened in it. */
  did: field(z.array(z.string())),
  /** Part of the address of a page that was visited. */
  page: text,
  /** With an error in the console. */
  errors: flag,
  /** At least so many seconds. */
  longer: text,
  unseen: flag,
  real: flag,
  order: text,
  many: number,
})
export type RecordingSearch = z.infer<typeof recordingsSearch>

/** The playlist that a recording was opened from, where in it one is (seconds), and how fast it plays. */
export const recordingSearch = z.object({ playlist: text, t: number, speed: number })
