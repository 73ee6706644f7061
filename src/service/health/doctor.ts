import { type MutationProgress, sql } from '../../engines/clickhouse/index.ts'
import type { GeoFile } from '../../events/index.ts'
import { freeBytes } from '../../lib/free-bytes.ts'
import type { Services } from '../services.ts'
import { VERSION } from '../version.ts'

export interface Finding {
  readonly check: string
  readonly ok: boolean
  readonly detail: string
}

/** The share of the log from which on somebody should look at it. */
const FULL_SOON = 0.8
const NOT_HERE = 'not needed by the roles of this process'

/** Checks everything that has to work, and says what to do where it does not. */
export async function diagnose(services: Services): Promise<Finding[]> {
  const checks: [string, () => Promise<string>][] = [
    [
      'PostgreSQL answers',
      async () =>
        `version ${(await services.engines.sql<{ server_version: string }[]>`SHOW server_version`)[0]?.server_version}`,
    ],
    ['ClickHouse answers', async () => clickHouseVersion(services)],
    ['the log takes events', () => logTakesEvents(services)],
    ['the pipeline runs', () => pipelineRuns(services)],
    ['nothing is stuck', () => nothingStuck(services)],
    ['jobs are done', () => jobsAreDone(services)],
    ['there is room on the disk', () => roomOnDisk(services)],
    ['the clocks agree', () => clocksAgree(services)],
    ['clients are told apart', async () => clientsApart(services)],
    ['visitors have a country', async () => geoAge(services)],
    ['networks of visitors are known', async () => networksAge(services)],
    ['this is Footfall', async () => `version ${VERSION} on Node ${process.versions.node}, ${process.platform}`],
  ]
  return Promise.all(
    checks.map(async ([check, look]) => {
      try {
        return { check, ok: true, detail: await look() }
      } catch (error) {
        return { check, ok: false, detail: (error as Error).message }
      }
    }),
  )
}

async function clickHouseVersion({ engines: { ch } }: Services): Promise<string> {
  if (ch === null) return NOT_HERE
  return `version ${(await ch.query<{ v: string }>(sql`SELECT version() AS v`)).rows[0]?.v}`
}

async function logTakesEvents({ eventLog }: Services): Promise<string> {
  if (eventLog === null) return NOT_HERE
  const { writable, reason, backlogBytes, backlogLimitBytes } = eventLog.status()
  if (!writable) throw new Error(reason ?? 'it does not, for no stated reason')
  const used = `${megabytes(backlogBytes)} of ${megabytes(backlogLimitBytes)} backlog used`
  if (backlogBytes > FULL_SOON * backlogLimitBytes)
    throw new Error(
      `${used}: events will be refused with 503. Look why the pipeline does not keep up, start more of it, or raise FOOTFALL_LOG_LIMIT_MB if there is disk for it`,
    )
  return used
}

async function pipelineRuns({ pipeline, config, eventLog, metrics }: Services): Promise<string> {
  if (!config.roles.includes('pipeline')) return NOT_HERE
  if (!pipeline?.running)
    throw new Error('it is down and being restarted; look for "the pipeline thread crashed" in the logs')
  const stalled = metrics.stall.seconds((eventLog?.status().backlogBytes ?? 0) > 0)
  if (stalled > 60)
    throw new Error(
      `events wait in the log and nothing was decided for ${Math.round(stalled)} s: look for "waits for" in the logs, which names what it waits for`,
    )
  return `restarted ${pipeline.restarts} times`
}

async function nothingStuck({ engines }: Services): Promise<string> {
  const [row] = await engines.sql<{ owed: number; oldest: number | null; dead: number }[]>`
    SELECT count(*) AS owed, extract(epoch FROM now() - min(created_at))::float AS oldest, (SELECT count(*) FROM dead_letters) AS dead FROM clickhouse_outbox`
  if (row?.oldest && row.oldest > 60)
    throw new Error(`rows wait for ClickHouse for ${Math.round(row.oldest)} s: is it reachable and not full?`)
  return `${row?.owed ?? 0} inserts on their way, ${row?.dead ?? 0} dead letters`
}

interface JobState {
  readonly name: string
  readonly error: string | null
  readonly progress: MutationProgress | null
}

/** The last run of each, by whichever process, and how far ClickHouse is with what the running ones wait for. */
async function jobsAreDone({ engines }: Services): Promise<string> {
  const jobs = await engines.sql<JobState[]>`
    SELECT name, last_error AS error, progress FROM scheduled_jobs
    WHERE last_error IS NOT NULL OR progress IS NOT NULL ORDER BY name`
  const failed = jobs.filter(({ error }) => error !== null)
  if (failed.length > 0)
    throw new Error(`${failed.map(({ name, error }) => `${name}: ${error}`).join('; ')}. They are tried again`)
  const running = jobs.flatMap(({ name, progress }) =>
    progress === null
      ? []
      : `${name}: ClickHouse changes ${progress.table}, ${progress.partsLeft} of ${progress.parts} parts left`,
  )
  return running.length > 0 ? running.join('; ') : 'no run has failed'
}

async function roomOnDisk({ config }: Services): Promise<string> {
  const free = await freeBytes(config.data)
  if (free < 1024 ** 3)
    throw new Error(`only ${megabytes(free)} free in ${config.data}: make room, or events will be refused with 503`)
  return `${megabytes(free)} free`
}

/** Events are dated by this machine's clock, jobs run by PostgreSQL's. */
async function clocksAgree({ engines }: Services): Promise<string> {
  const asked = Date.now()
  const [row] = await engines.sql<{ ms: number }[]>`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms`
  const answered = Date.now()
  const apart = Math.max(0, asked - Number(row?.ms), Number(row?.ms) - answered)
  if (apart > MOST_APART_MS)
    throw new Error(
      `ours and that of PostgreSQL are ${Math.round(apart / 1000)} s apart: let NTP set both, or events get wrong times`,
    )
  return `it is ${new Date(answered).toISOString()}`
}

/**
 * Behind a proxy that is not configured as trusted all clients have one address. Not a failure: any client may send the
 * header.
 */
function clientsApart({ config, addresses }: Services): string {
  if (addresses.untrustedPeer !== null)
    return `${addresses.untrustedPeer} sends X-Forwarded-For and is not believed: if it is your proxy, add it to FOOTFALL_TRUSTED_PROXIES`
  return config.trusted_proxies.length === 0
    ? 'by the address of their connection; X-Forwarded-For is not believed'
    : `X-Forwarded-For is believed from ${config.trusted_proxies.join(', ')}`
}

const OLD_DAYS = 365

function geoAge({ config, geo }: Services): string {
  if (config.geoip === 'off') return 'FOOTFALL_GEOIP is off'
  if (!config.roles.includes('capture')) return NOT_HERE
  if (!geo?.places)
    throw new Error(`${config.geoip ?? 'the country file'} cannot be read: check the path in FOOTFALL_GEOIP`)
  return ageOf(geo.places)
}

function networksAge({ config, geo }: Services): string {
  if (config.geoip_asn === undefined) return 'FOOTFALL_GEOIP_ASN is not set: bots of data centres are not recognised'
  if (!config.roles.includes('capture')) return NOT_HERE
  if (!geo?.networks) throw new Error(`${config.geoip_asn} cannot be read: check the path in FOOTFALL_GEOIP_ASN`)
  return ageOf(geo.networks)
}

function ageOf({ file, madeAt }: GeoFile): string {
  const days = Math.floor((Date.now() - madeAt) / 86_400_000)
  const age = `${file} is ${days} days old`
  return days > OLD_DAYS ? `${age}: a newer one knows more addresses` : age
}

const MOST_APART_MS = 2_000

const megabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024).toLocaleString('en')} MB`
