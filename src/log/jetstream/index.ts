/**
 * The log in a NATS cluster. From the outside in:
 *
 *   writer.ts       the writer's states; batcher.ts puts the records of one partition into messages, publisher.ts gets
 *                   them stored, watch.ts checks the streams
 *   reader.ts       the reader; feed.ts brings the messages of one partition, delete-messages.ts deletes them
 *   streams.ts      creates and checks the streams before the first append and after every reconnection
 *   large.ts        records that do not fit into a message
 *   stored-message.ts, message.ts, places.ts, names.ts   a message and its bytes, positions, the names of streams
 *   connection.ts, address.ts, failure.ts   the connection to NATS
 *   probe.ts        what `footfall cluster check` asks of it
 *
 * The client library is loaded only when the log is opened: most processes never need it.
 */
import type { Logger } from '../../lib/logger.ts'
import type { LogReader } from '../port.ts'
import type { NatsFacts } from './probe.ts'
import type { JetstreamReaderHandle } from './reader-handle.ts'
import type { JetstreamLog, JetstreamLogOptions } from './writer.ts'

export { isNatsAddress } from './address.ts'
export type { NatsFacts } from './probe.ts'
export type { JetstreamReaderHandle } from './reader-handle.ts'
export type { JetstreamLog, JetstreamLogOptions } from './writer.ts'

export const openJetstreamLog = async (options: JetstreamLogOptions): Promise<JetstreamLog> =>
  (await import('./writer.ts')).openJetstreamLog(options)

export const openJetstreamReader = async (
  handle: JetstreamReaderHandle,
  options: { readonly log?: Logger } = {},
): Promise<LogReader> => (await import('./reader.ts')).openJetstreamReader(handle, options)

export const probeNats = async (url: string): Promise<NatsFacts> => (await import('./probe.ts')).probeNats(url)
