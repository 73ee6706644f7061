import { z } from 'zod'
import { noneOfThem } from '../../lib/as-sent.ts'
import { anyJson, dateTime, id } from '../answer-fields.ts'
import { pageQuerySchema } from '../envelopes.ts'
import { flag, integer, sessionId, text } from '../fields.ts'
import { userSchema } from './user.ts'

const yesOrNo = z.int().meta({ description: '1 for yes, 0 for no.' })

export const playlistSchema = z
  .object({
    id,
    short_id: z.string(),
    name: z.string(),
    derived_name: z.string(),
    description: z.string(),
    pinned: z.boolean(),
    created_at: dateTime,
    created_by: userSchema.nullable(),
    deleted: z.boolean(),
    filters: anyJson,
    last_modified_at: dateTime,
    last_modified_by: userSchema.nullable(),
    recordings_counts: z.object({
      saved_filters: z.object({
        count: z.int().optional(),
        has_more: yesOrNo.optional(),
        watched_count: z.int().optional(),
        increased: yesOrNo.optional(),
        last_refreshed_at: z.int().optional().meta({ description: 'Seconds since 1970.' }),
      }),
      collection: z.object({ count: z.int(), watched_count: z.int() }),
    }),
  })
  .meta({ id: 'Playlist' })
export type Playlist = z.infer<typeof playlistSchema>

/** What playlists can be listed by, with a "-" before it for descending. */
export const PLAYLIST_ORDERS = [
  'id',
  'short_id',
  'name',
  'derived_name',
  'description',
  'pinned',
  'created_at',
  'created_by',
  'last_modified_at',
  'last_modified_by',
] as const
export type PlaylistOrder = (typeof PLAYLIST_ORDERS)[number]

export const playlistListQuerySchema = pageQuerySchema.extend({
  created_by: integer.optional(),
  short_id: z.string().optional(),
  search: z.string().optional(),
  pinned: flag.optional(),
  user: z.string().optional(),
  order: z
    .string()
    .refine((given) => (PLAYLIST_ORDERS as readonly string[]).includes(given.replace(/^-/, '')), {
      error: ({ input }) =>
        `Order by one of ${PLAYLIST_ORDERS.join(', ')}, with a "-" before it for descending: ${noneOfThem(input)}`,
    })
    .default('-last_modified_at'),
  date_from: z.string().optional(),
  date_to: z.string().optional(),
  session_recording_id: z.string().optional(),
})

/** Everything is optional, and what is not here is not for clients to write. */
export const playlistFieldsSchema = z.object({
  name: text(400).nullable().optional(),
  derived_name: text(400).nullable().optional(),
  description: text().optional(),
  pinned: flag.optional(),
  deleted: flag.optional(),
  filters: anyJson.optional(),
})

export const playlistRecordingsSchema = z.object({ session_recording_ids: z.array(sessionId).min(1).max(100) })

export const addedToPlaylistSchema = z
  .object({ success: z.literal(true), added_count: z.int(), total_requested: z.int() })
  .meta({ id: 'AddedToPlaylist' })
