/**
 * The log in a NATS cluster. From the outside in:
 *
 *   writer.ts       the state machine of the writing end; lane.ts puts the records of one partition into messages, publisher.ts gets
 *                   them stored, watch.ts looks how the streams are
 *   reader.ts       the reading end; feed.ts brings the messages of one partition
 *   streams.ts      what has to be true of the streams before the first append, and after every surprise
 *   large.ts        records that do not fit into a message
 *   message.ts, places.ts, names.ts   the bytes of a message, what a position is, what things are called
 *   connection.ts, address.ts, failure.ts   NATS itself
 *
 * The client library is loaded by whoever opens the log: most processes never do.
 */
import type { Logger } from '../../lib/logger.ts'
import type { LogReader } from '../port.ts'
import type { JetstreamReaderHandle } from './reader-handle.ts'
import type { JetstreamLog, JetstreamLogOptions } from './writer.ts'

export { isNatsAddress } from './address.ts'
export type { JetstreamReaderHandle } from './reader-handle.ts'
export type { JetstreamLog, JetstreamLogOptions } from './writer.ts'

export const openJetstreamLog = async (options: JetstreamLogOptions): Promise<JetstreamLog> =>
  (await import('./writer.ts')).openJetstreamLog(options)

export const openJetstreamReader = async (
  handle: JetstreamReaderHandle,
  options: { readonly log?: Logger } = {},
): Promise<LogReader> => (await import('./reader.ts')).openJetstreamReader(handle, options)
