export {
  type CapturedEvent,
  type CapturedRecording,
  type CapturedRequest,
  decodeCaptured,
  decodeRecording,
  encodeCaptured,
  encodeRecording,
  type Warning,
} from './captured.ts'
export { storedUuids } from './duplicates.ts'
export { elementsIn } from './elements.ts'
export { elementsChainOf } from './elements-chain.ts'
export { HEATMAP_EVENT, type HeatmapPoint, heatmapPoints } from './heatmap-points.ts'
export { heatmapRowsAsNdjson, storedAsEvents } from './heatmap-rows.ts'
export { type ProjectWarning, readLedger, recordWarnings } from './ledger.ts'
export {
  type OpenedRecording,
  openRecording,
  type RawItems,
  type RecordingHead,
  recordingStart,
} from './raw-recording.ts'
export { type EventCursor, findEvent, listEvents, type StoredEvent } from './read.ts'
export {
  clickhouseTime,
  EVENT_COLUMNS,
  type EventRow,
  eventRowsAsBinary,
  ndjson,
  packEventRows,
  UUID_COLUMNS,
  unpackEventRows,
  uuidAsNumber,
  uuidRowsAsBinary,
} from './rows.ts'
export { nextDayToFill, rowsToFill, type SessionPlace } from './session-backfill.ts'
export { SESSION_COLUMNS, type SessionRow, sessionRowsAsBinary, sessionRowsOf } from './session-rows.ts'
export { DATACENTERS } from './visitor/datacenters.ts'
export { type Device, deviceOf } from './visitor/device.ts'
export {
  creditedSource,
  GeoFile,
  GeoFiles,
  type GeoLookup,
  type GeoSettings,
  geoOfCountry,
  NO_GEO,
  openGeo,
} from './visitor/geo.ts'
export { deviceText, geoText, type Visitor } from './visitor/visitor.ts'
export { WARNINGS, type WarningReason, type WarningType } from './warnings.ts'
