import type { Logger } from '../lib/logger.ts'
import { type JetstreamReaderHandle, openJetstreamReader } from './jetstream/index.ts'
import type { LogReader, LogWriter } from './port.ts'
import { openSegmentReader, type SegmentReaderHandle } from './segments/index.ts'

/** Where the records are, for a reader in another thread. */
export type LogReaderHandle = SegmentReaderHandle | JetstreamReaderHandle

/** The log of a process, of either kind. */
export interface EventLog extends LogWriter {
  readerHandle(): LogReaderHandle
}

export const openLogReader = async (
  handle: LogReaderHandle,
  options: { readonly log?: Logger } = {},
): Promise<LogReader> =>
  'shared' in handle ? openSegmentReader(handle, options) : await openJetstreamReader(handle, options)
