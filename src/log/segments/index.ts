/**
 * The log in files on this machine. From the outside in:
 *
 *   open.ts              locks and recovers the folder, begins a segment
 *   writer.ts            the writer's states; group.ts collects the appends that share a sync
 *   reader.ts            the reader; doorbell.ts waits, reader-files.ts keeps files open
 *   shared-positions.ts  what writer and readers tell each other across threads; retention.ts decides which segments
 *                        may go
 *   recovery.ts          what a folder holds after a crash
 *   pinned.ts            the log as of one moment, kept for a backup
 *   files/, format/      the folder and its files; the bytes of a file
 */

export type { SegmentIo } from './files/segment-io.ts'
export { crc32 } from './format/crc32.ts'
export { openSegmentLog, type SegmentLogOptions } from './open.ts'
export { openPinnedLog, type PinnedLog, pinSegments } from './pinned.ts'
export { openSegmentReader, type ReaderOptions } from './reader.ts'
export type { SegmentReaderHandle } from './reader-handle.ts'
export type { SegmentLog, SegmentLogStatus } from './writer.ts'
