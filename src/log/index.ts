export { type EventLog, type LogReaderHandle, openLogReader } from './event-log.ts'
export {
  isNatsAddress,
  type JetstreamLog,
  type JetstreamLogOptions,
  type JetstreamReaderHandle,
  type NatsFacts,
  openJetstreamLog,
  openJetstreamReader,
  probeNats,
} from './jetstream/index.ts'
export {
  allPartitions,
  eventPartitions,
  HISTORICAL_PARTITION,
  isLivePartition,
  livePartition,
  livePartitions,
  MOST_LIVE_PARTITIONS,
  RECORDINGS_PARTITION,
} from './partitions.ts'
export {
  type LogEntry,
  type LogRange,
  type LogReader,
  type LogRecord,
  type LogStatus,
  LogUnavailable,
  type LogWriter,
  type Position,
} from './port.ts'
export {
  crc32,
  openPinnedLog,
  openSegmentLog,
  openSegmentReader,
  type PinnedLog,
  pinSegments,
  type ReaderOptions,
  type SegmentIo,
  type SegmentLog,
  type SegmentLogOptions,
  type SegmentLogStatus,
  type SegmentReaderHandle,
} from './segments/index.ts'
