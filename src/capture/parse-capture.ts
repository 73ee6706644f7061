import { ApiError } from '../http/errors.ts'
import { parseJson } from '../lib/json.ts'
import type { TakingIn } from './projects/project-directory.ts'
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
 * Everything between the bytes of a request and the records of the log, without I/O: decode -> shape -> (whose key is it?) -> admit
 * -> records. Runs on the event loop for small bodies and in a worker thread for large ones.
 */
/** What a request says besides its body. */
export interface Circumstances {
  /** The raw query string, without its question mark. */
  readonly query: string
  readonly contentEncoding: string | undefined
  readonly userAgent: string | undefined
  readonly ip: string | null
  readonly receivedAt: number
  readonly engage: boolean
  /** Came to where batches are sent. */
  readonly batch?: boolean
  /** Came to where recordings are uploaded. */
  readonly upload?: boolean
  /** Set for the v1 protocol, which says some things in headers. */
  readonly v1?: V1Headers | undefined
}

const NO_QUERY = new URLSearchParams()

/** The first half, up to the key. Throws ApiError, or DecodedTooLarge when the body unpacks to more than `maxBytes`. */
export function open(body: Buffer, said: Circumstances, maxBytes: number): Shaped {
  const query = said.query === '' ? NO_QUERY : new URLSearchParams(said.query)
  const envelope: Envelope = { body, query, contentEncoding: said.contentEncoding }
  const upload = said.upload ? cutSnapshots(unwrap(envelope, maxBytes)) : null
  if (upload) return { ...shape(upload.value, query, said.batch), cut: upload.cut }
  const text = decode(envelope, maxBytes)
  refuseCostly(text)
  const value = parse(text)
  return said.v1 ? openV1(value, said.v1) : shape(value, query, said.batch)
}

/** The second half, when the project is known. */
export function takeIn(said: Circumstances, { items, sentAt, historical, cut }: Shaped, project: TakingIn): Records {
  const { receivedAt, engage, userAgent } = said
  const ip = project.anonymizeIps ? null : said.ip
  const arrival = { project: project.id, receivedAt, sentAt, ip, historical }
  if (!said.v1) {
    const admitted = admit(items, { now: receivedAt, engage, userAgent, cut })
    if (project.recordingsLimited) refuseRecordings(admitted)
    nameVisitors(admitted, said, project)
    const records = toRecords(admitted, arrival)
    return items.length === 1 && !said.batch && isTooLarge(records)
      ? { ...records, refused: 'event_too_large' }
      : records
  }
  const { admitted, results } = admitV1(items, said.v1)
  nameVisitors(admitted, said, project)
  return { ...toRecords(admitted, arrival), results }
}

/** The one event of the request was dropped for its size. */
const isTooLarge = ({ events, warnings }: Records): boolean =>
  events === 0 && warnings.some(({ type }) => type === 'event_too_large')

function nameVisitors(
  { events }: Admitted,
  { ip, userAgent }: Circumstances,
  { id, cookielessSalt: salt }: TakingIn,
): void {
  if (salt !== undefined) nameCookieless(events, { salt, project: id, ip, userAgent })
}

/** A project that has had its recordings of the month takes no more of them; the ledger counts what it missed. */
function refuseRecordings({ snapshots, warnings }: Admitted): void {
  for (const { distinctId, sessionId, uuid } of snapshots.splice(0))
    warnings.add('recording_quota_reached', { event: '$snapshot', distinctId, uuid }, { session_id: sessionId })
}

function parse(text: string) {
  try {
    return parseJson(text)
  } catch (error) {
    throw new ApiError('parse_error', `JSON parse error: ${(error as Error).message}`)
  }
}
