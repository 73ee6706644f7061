export { deletedAmong } from './deleted.ts'
export { countRecordingsOf, eraseRecordings, eraseRecordingsOf } from './erase.ts'
export { expireRecordings, oldRecordings } from './expire.ts'
export type { RecordingsQuestion } from './filters/question.ts'
export { readRecordingFilters } from './filters/read.ts'
export { readActors } from './find/actors.ts'
export { type FoundRecordings, findRecordings, recordingsById } from './find/find.ts'
export { type AcceptedUpload, acceptUpload } from './ingest/accept-upload.ts'
export type { ChunkRow } from './ingest/chunks.ts'
export type { MinuteRow } from './ingest/minutes.ts'
export { CHUNK_COLUMNS, chunkRowsAsBinary, minuteRowsAsNdjson } from './ingest/rows.ts'
export { storedUploads, uploadKey } from './ingest/stored-uploads.ts'
export { playlistCounts } from './playlists/counts.ts'
export { addToPlaylist, removeFromPlaylist } from './playlists/items.ts'
export { listPlaylists } from './playlists/list.ts'
export { refreshPlaylists } from './playlists/matches.ts'
export {
  createPlaylist,
  findPlaylist,
  findPlaylistById,
  type Playlist,
  type PlaylistFields,
  updatePlaylist,
} from './playlists/playlist.ts'
export { playlistQuestion } from './playlists/recordings.ts'
export { countRecordingUsage } from './quota.ts'
export { blocksOf } from './read/blocks.ts'
export type { RecordingsContext } from './read/context.ts'
export { matchingEvents } from './read/matching-events.ts'
export type { Recording } from './read/recording.ts'
export { chunkPlaces, type SnapshotsQuestion, snapshotLines } from './read/snapshots.ts'
export { createShare, findShare, listShares, revokeShare, type Share, type Shared } from './shares.ts'
export { markUnviewed, markViewed, viewsOf } from './views.ts'
