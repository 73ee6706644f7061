import type { ClickHouse } from '../../src/engines/clickhouse/index.ts'
import { DAY } from '../../src/lib/durations.ts'

/** Events as a web app sends them, made by the engine itself: 50,000 users, 40 event names, 12 properties, 90 days, in the order of their time. */
const USERS = 50_000
const EVENT_NAMES = 40
const DAYS = 90
const CHUNK = 250_000
/** So many have properties of their own. */
const MADE = 1_000_000
/** The engine makes the rows of an insert on one core. */
const INSERTS_AT_ONCE = 2
/** A busy machine takes its time. */
const MAX_SECONDS = 600
const MERGED = 5_000

/** What a property can be: so many different texts. */
const PROPERTIES: Record<string, string> = {
  $browser: `['Chrome', 'Safari', 'Firefox', 'Edge', 'Opera', 'Samsung Internet', 'Brave', 'Vivaldi'][1 + PICK % 8]`,
  $os: `['Windows', 'Mac OS X', 'Linux', 'Android', 'iOS'][1 + PICK % 5]`,
  $device_type: `['Desktop', 'Mobile', 'Tablet'][1 + PICK % 3]`,
  $current_url: `'https://shop.example/products/' || toString(PICK % 1000)`,
  $referrer: `['$direct', 'https://www.google.com/', 'https://news.example/', 'https://social.example/'][1 + PICK % 4]`,
  country: `'country-' || toString(PICK % 40)`,
  app_version: `'4.' || toString(PICK % 25) || '.0'`,
  plan: `['free', 'pro', 'team'][1 + PICK % 3]`,
  variant: `['control', 'test'][1 + PICK % 2]`,
  items: `toString(PICK % 20)`,
  amount: `toString(PICK % 1000)`,
  logged_in: `['true', 'false'][1 + PICK % 2]`,
}

const hash = (of: string, salt: number): string => `cityHash64(${of}, ${salt})`
const uuidOf = (of: string, salt: number): string =>
  `reinterpretAsUUID(concat(reinterpretAsFixedString(${hash(of, salt)}), reinterpretAsFixedString(${hash(of, salt + 1)})))`

/**
 * Fills an empty events table; `end` is when the last of them happened. The properties of a row cost the engine several times as
 * much as the rest of it, so they are made for the first million and repeated after that, each time with other names and times.
 */
export async function fillEvents(clickhouse: ClickHouse, count: number, end: number): Promise<void> {
  const command = (statement: string) => clickhouse.command(statement, { maxSeconds: MAX_SECONDS })
  await command('DROP TABLE IF EXISTS made_events')
  await command(`CREATE TABLE made_events (n UInt32, user UInt32, distinct_id String, person_id UUID,
    properties String, person_properties String, props JSON, person_props JSON) ENGINE = MergeTree ORDER BY n`)
  const made = Math.min(count, MADE)
  await chunks(made, (from, size) => command(`INSERT INTO made_events ${madeEvents(from, size)}`))
  const start = end - DAYS * DAY
  const perEvent = (DAYS * DAY) / count
  await chunks(count, (from, size) => {
    const first = from % MADE
    return command(`INSERT INTO events
        (project_id, uuid, event, timestamp, received_at, distinct_id, person_id, session_id, properties, person_properties, props, person_props)
      SELECT 1, generateUUIDv7(at), 'event_' || toString(${hash('at', 1)} % ${EVENT_NAMES}),
        fromUnixTimestamp64Milli(time), fromUnixTimestamp64Milli(time + ${hash('at', 2)} % 5000), distinct_id,
        person_id, toString(${uuidOf('(user, intDiv(time, 1800000))', 7)}), properties, person_properties, props, person_props
      FROM (SELECT *, n + ${from - first} AS at, toInt64(${start} + at * ${perEvent}) AS time
        FROM made_events WHERE n >= ${first} AND n < ${first + size})`)
  })
  await command('DROP TABLE made_events')
}

function madeEvents(from: number, size: number): string {
  const properties = Object.entries(PROPERTIES).map(
    ([name, value], index) => `'${name}', ${value.replaceAll('PICK', hash('n', index + 10))}`,
  )
  return `SELECT n, user, toString(${uuidOf('user', 3)}), ${uuidOf('user', 5)}, toJSONString(map(${properties.join(', ')})) AS text,
    toJSONString(map('email', 'user-' || toString(user) || '@example.com', 'plan', ['free', 'pro', 'team'][1 + user % 3])) AS about, text, about
  FROM (SELECT number + ${from} AS n, ${hash('n', 9)} % ${USERS} AS user FROM numbers(${size}))`
}

/** Several at once, in order; MADE is a multiple of CHUNK. */
async function chunks(count: number, insert: (from: number, size: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const insertMore = async () => {
    while (next < count) {
      const from = next
      next += CHUNK
      await insert(from, Math.min(CHUNK, count - from))
    }
  }
  await Promise.all(Array.from({ length: INSERTS_AT_ONCE }, insertMore))
}

/** The first 5,000 users turn out to be the next 5,000. */
export async function mergePersons(clickhouse: ClickHouse): Promise<void> {
  await clickhouse.command(`INSERT INTO person_overrides
    SELECT 1, ${uuidOf('user', 5)}, ${uuidOf(`(user + ${MERGED})`, 5)}, 0, 1 FROM (SELECT number AS user FROM numbers(${MERGED}))`)
}
