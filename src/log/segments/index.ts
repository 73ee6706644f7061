/**
 * The log in files on this machine. From the outside in:
 *
 *   open.ts              lock, recover, begin: what happens before the first append
 *   writer.ts            the state machine of the writing end; group.ts gathers the appends that share a sync
 *   reader.ts            the reading end; doorbell.ts waits, reader-files.ts keeps files open, frame-scan.ts walks over frames
 *   shared-positions.ts  what writer and readers tell each other across threads; retention.ts what follows for old segments
 *   recovery.ts          what a folder holds after a crash
 *   pinned.ts            what was durable at one moment, kept while the log goes on
 *   segment-header.ts, frame.ts   the bytes of a file
 */

export type { SegmentIo } from './files/segment-io.ts'
export { crc32 } from './format/crc32.ts'
export { openSegmentLog, type SegmentLogOptions } from './open.ts'
export { openPinnedLog, type PinnedLog, pinSegments } from './pinned.ts'
export { openSegmentReader, type ReaderOptions } from './reader.ts'
export type { SegmentReaderHandle } from './reader-handle.ts'
export type { SegmentLog, SegmentLogStatus } from './writer.ts'
