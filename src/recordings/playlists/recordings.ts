import type { Sql } from '../../engines/postgres/index.ts'
import type { RecordingsQuestion } from '../filters/question.ts'
import { readRecordingFilters, saysSomething } from '../filters/read.ts'
import { sessionsInPlaylist } from './items.ts'
import type { Playlist } from './playlist.ts'

/**
 * The recordings of a playlist: those added to it, else those its filters match. `narrowed` are further filters of the
 * request.
 */
export async function playlistQuestion(
  sql: Sql,
  playlist: Playlist,
  narrowed: Readonly<Record<string, unknown>> = {},
): Promise<RecordingsQuestion> {
  const added = await sessionsInPlaylist(sql, playlist)
  if (added.length === 0 && saysSomething(playlist.filters))
    return readRecordingFilters({ ...playlist.filters, ...narrowed })
  const question = readRecordingFilters(narrowed)
  return { ...question, dateFrom: question.dateFrom ?? null, sessionIds: added }
}
