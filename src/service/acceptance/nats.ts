import { type NatsFacts, probeNats } from '../../log/index.ts'
import { type Checks, failed, warning } from './results.ts'

const OLDEST = [2, 9] as const
const MIB = 1024 * 1024

export async function checkNats(url: string, limitMb: number, checks: Checks): Promise<void> {
  let facts: NatsFacts | null = null
  await checks.run('JetStream answers', async () => {
    facts = await probeNats(url).catch((error: Error) => {
      throw failed(
        error.message,
        'Start nats-server with JetStream (-js, or a jetstream block in its configuration), and correct FOOTFALL_NATS_URL.',
      )
    })
    return `version ${facts.version}`
  })
  if (facts !== null) await judgeNats(facts, limitMb, checks)
}

export async function judgeNats(facts: NatsFacts, limitMb: number, checks: Checks): Promise<void> {
  await checks.run('the version is known to work', () => knownVersion(facts))
  await checks.run('a record is stored, and read back', () => storesRecords(facts))
  await checks.run('records outlive a server', () => outlivesServer(facts))
  await checks.run('there is room for the backlog', () => hasRoom(facts, limitMb))
}

function knownVersion({ version }: NatsFacts): string {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))
    throw failed(`version ${version}`, `Install NATS ${OLDEST.join('.')} or newer.`)
  return version
}

function storesRecords({ fault, replicas, currentReplicas }: NatsFacts): string {
  if (fault !== null)
    throw failed(
      fault,
      `Each record is kept by ${replicas} servers: are there so many, with JetStream and free space? (?replicas=1 at the end of FOOTFALL_NATS_URL changes it)`,
    )
  return replicas === 1 ? 'by one server' : `by ${currentReplicas} of ${replicas} servers at once, by all soon after`
}

/** NATS does not sync its files for each message, and does not tell clients its sync_interval. */
function outlivesServer({ replicas, servers, version }: NatsFacts): string {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const canSync = major > 2 || minor >= 10
  if (replicas === 1)
    throw warning(
      'one server keeps each record, and syncs its files every two minutes unless told otherwise: a power cut may lose events that were acknowledged',
      `Run three servers as one cluster${canSync ? ', or set jetstream { sync_interval: always }' : ''}.`,
    )
  if (servers < replicas)
    throw warning(
      `clients are told of ${servers} servers, and ${replicas} keep each record`,
      'Let every server advertise its address (client_advertise), so that clients find the others.',
    )
  return `${replicas} of ${servers} servers keep each record. Keep them in different places: a power cut of all at once may lose the last seconds${canSync ? ' unless sync_interval is always' : ''}`
}

function hasRoom({ storageLimit, maxPayload, logBytes }: NatsFacts, limitMb: number): string {
  if (maxPayload < MIB)
    throw warning(
      `max_payload is ${maxPayload} bytes`,
      'Set it to 1 MB or more: larger records are stored in pieces, which costs time.',
    )
  const used = `${Math.ceil(logBytes / MIB)} of ${limitMb} MB of the log are used`
  if (logBytes > 0.8 * limitMb * MIB)
    throw warning(
      `${used}; at the limit events are refused`,
      'Look why the pipelines do not keep up, start more of them, or raise FOOTFALL_LOG_LIMIT_MB if the servers have disk for it.',
    )
  if (storageLimit !== null && storageLimit < limitMb * MIB)
    throw warning(
      `the account may store ${Math.floor(storageLimit / MIB)} MB, the log grows to ${limitMb} MB before events are refused`,
      'Raise max_file of the account, or events are refused sooner when the pipeline is away (FOOTFALL_LOG_LIMIT_MB).',
    )
  return `${used}; the account ${storageLimit === null ? 'has no limit' : `may store ${Math.floor(storageLimit / MIB)} MB`}`
}
