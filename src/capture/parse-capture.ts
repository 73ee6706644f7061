import { deviceText } from '../events/index.ts'
import { ApiError } from '../http/errors.ts'
import { parseJson } from '../lib/json.ts'
import type { CaptureSettings } from './projects/project-directory.ts'
import { type Admitted, admit } from './stages/admit.ts'
import { nameCookieless } from './stages/cookieless.ts'
import { cutSnapshots } from './stages/cut-snapshots.ts'
import { decode, type Envelope, unwrap } from './stages/decode.ts'
import { type Records, toRecords } from './stages/records.ts'
import { refuseCostly } from './stages/refuse-costly.ts'
import { type Shaped, shape } from './stages/shape.ts'
import { admitV1 } from './v1/admit-v1.ts'
import type { V1Headers } from './v1/headers.ts'
import { openV1 } from './v1/open-v1.ts'

/**
 * From the bytes of a request to the records of the log, without I/O:
 *   openCapture   decode -> shape                (then the caller looks up the project of the key)
 *   parseCapture  admit -> records
 * Runs on the event loop for small bodies and in a worker thread for large ones.
 */

/** What is known about a request besides its body. */
export interface RequestMeta {
  /** The raw query string, without its question mark. */
  readonly query: string
  readonly contentEncoding: string | undefined
  readonly userAgent: string | undefined
  readonly ip: string | null
  /** Where the request comes from, as the text of a record (`geoText`). */
  readonly geo?: string
  /** The browser says that its user does not want to be tracked: Do Not Track or Global Privacy Control. */
  readonly asksNot?: boolean
  readonly receivedAt: number
  /** How many partitions of the log take live events. */
  readonly livePartitions: number
  /** Whether events without a uuid may be stored although the request is refused, and come again (unsure-appends.ts). */
  readonly mayComeTwice?: boolean
  readonly engage: boolean
  /** Sent to a path for batches. */
  readonly batch?: boolean
  /** Sent to the path for recordings. */
  readonly upload?: boolean
  /** Set for the v1 protocol, which has some fields in headers. */
  readonly v1?: V1Headers | undefined
}

const NO_QUERY = new URLSearchParams()

/** Up to the project key. Throws ApiError, or DecodedTooLarge when the body decompresses to more than `maxBytes`. */
export function openCapture(body: Buffer, meta: RequestMeta, maxBytes: number): Shaped {
  const query = meta.query === '' ? NO_QUERY : new URLSearchParams(meta.query)
  const envelope: Envelope = { body, query, contentEncoding: meta.contentEncoding }
  const upload = meta.upload ? cutSnapshots(unwrap(envelope, maxBytes)) : null
  if (upload) return { ...shape(upload.value, query, meta.batch), cut: upload.cut }
  const text = decode(envelope, maxBytes)
  refuseCostly(text)
  const value = parse(text)
  return meta.v1 ? openV1(value, meta.v1) : shape(value, query, meta.batch)
}

/** From the items to records, once the project is known. */
export function parseCapture(
  meta: RequestMeta,
  { items, sentAt, historical, cut }: Shaped,
  project: CaptureSettings,
): Records {
  const { receivedAt, engage, userAgent, livePartitions, mayComeTwice } = meta
  const ip = project.anonymizeIps ? null : meta.ip
  // An import is about visitors of the past: the request is not theirs.
  const visitor = historical ? '' : `${meta.geo ?? ''}${deviceText(userAgent)}`
  const arrival = { project: project.id, receivedAt, sentAt, ip, historical, visitor, livePartitions }
  if (!meta.v1) {
    const admitted = admit(items, { now: receivedAt, engage, userAgent, mayComeTwice, cut })
    if (project.recordingsLimited) refuseRecordings(admitted)
    if (meta.asksNot && project.honorDoNotTrack) refuseAll(admitted)
    nameVisitors(admitted, meta, project)
    const records = toRecords(admitted, arrival)
    return items.length === 1 && !meta.batch && isTooLarge(records)
      ? { ...records, refused: 'event_too_large' }
      : records
  }
  const { admitted, results } = admitV1(items, meta.v1)
  if (meta.asksNot && project.honorDoNotTrack)
    for (const uuid of refuseAll(admitted))
      results[uuid] = { result: 'drop', details: 'visitor_asked_not_to_be_tracked' }
  nameVisitors(admitted, meta, project)
  const unstorable = new Map<string, string>()
  const records = toRecords({ ...admitted, unstorable }, arrival)
  for (const uuid of unstorable.size > 0 ? Object.keys(results) : []) {
    const details = unstorable.get(uuid.toLowerCase())
    if (details !== undefined) results[uuid] = { result: 'drop', details }
  }
  return { ...records, results }
}

/** The only event of the request was dropped for its size. */
const isTooLarge = ({ events, warnings }: Records): boolean =>
  events === 0 && warnings.some(({ type }) => type === 'event_too_large')

function nameVisitors(
  { events }: Admitted,
  { ip, userAgent, receivedAt: now }: RequestMeta,
  { id, cookielessSalt: salt }: CaptureSettings,
): void {
  if (salt !== undefined) nameCookieless(events, { salt, project: id, ip, userAgent, now })
}

/** A project that has reached its recording quota of the month stores no more recordings; a warning counts each one. */
function refuseRecordings({ snapshots, warnings }: Admitted): void {
  for (const { distinctId, sessionId, uuid } of snapshots.splice(0))
    warnings.add('recording_quota_reached', { event: '$snapshot', distinctId, uuid }, { session_id: sessionId })
}

/** Of visitors who asked not to be tracked nothing is stored, not even who they are: only how many events there were. */
function refuseAll({ events, snapshots, warnings }: Admitted): string[] {
  const refused = events.splice(0)
  for (const { event } of refused) warnings.add('visitor_asked_not_to_be_tracked', { event })
  for (const _ of snapshots.splice(0)) warnings.add('visitor_asked_not_to_be_tracked', { event: '$snapshot' })
  return refused.map(({ uuid }) => uuid)
}

function parse(text: string) {
  try {
    return parseJson(text)
  } catch (error) {
    throw new ApiError('parse_error', `JSON parse error: ${(error as Error).message}`)
  }
}
