/**
 * A query drafted from words, by rules over the names a project really has. It is a beginning to edit, not an answer.
 */
interface KnownNames {
  /** Most frequent first. */
  readonly events: readonly string[]
  readonly eventProperties: readonly string[]
  readonly personProperties: readonly string[]
}

const PERIODS: Record<string, number> = {
  hour: 1 / 24,
  day: 1,
  week: 7,
  fortnight: 14,
  month: 30,
  quarter: 90,
  year: 365,
}
const BUCKETS: Record<string, string> = {
  hour: 'toStartOfHour',
  hourly: 'toStartOfHour',
  day: 'toStartOfDay',
  daily: 'toStartOfDay',
  date: 'toStartOfDay',
  week: 'toStartOfWeek',
  weekly: 'toStartOfWeek',
  month: 'toStartOfMonth',
  monthly: 'toStartOfMonth',
}

/** Something useful for a project nobody has asked anything about. */
export const starterSql = ({ events }: KnownNames): string =>
  events.length === 0
    ? 'SELECT event, distinct_id, timestamp, properties FROM events ORDER BY timestamp DESC LIMIT 100'
    : 'SELECT event, count() AS events, uniq(person_id) AS persons\nFROM events\nWHERE timestamp > now() - INTERVAL 7 DAY\nGROUP BY event\nORDER BY events DESC\nLIMIT 20'

export function draftSql(prompt: string, names: KnownNames): string {
  const words = normal(prompt)
  const events = named(words, names.events)
  const breakdown = breakdownOf(words, names)
  const bucket = /\b(?:per|by|each|every|over)\s+(hour|day|date|week|month)\b|\b(hourly|daily|weekly|monthly)\b/.exec(
    words,
  )
  const grain = bucket ? BUCKETS[(bucket[1] ?? bucket[2]) as string] : undefined
  const persons = /\b(?:unique|users?|persons?|people|visitors?|customers?|who)\b/.test(words)
  const columns = [
    ...(grain ? [`${grain}(timestamp) AS period`] : []),
    ...(breakdown ? [`${breakdown} AS value`] : []),
    ...(!grain && !breakdown && events.length !== 1 ? ['event'] : []),
    persons ? 'uniq(person_id) AS persons' : 'count() AS events',
  ]
  const groups = columns.slice(0, -1).map((column) => column.split(' AS ').at(-1) as string)
  const measure = persons ? 'persons' : 'events'
  return [
    `SELECT ${columns.join(', ')}`,
    'FROM events',
    `WHERE timestamp > now() - INTERVAL ${daysOf(words)} DAY${condition(events)}`,
    ...(groups.length > 0 ? [`GROUP BY ${groups.join(', ')}`] : []),
    ...(groups.length > 0 ? [`ORDER BY ${grain ? 'period' : `${measure} DESC`}`] : []),
    ...(groups.length > 0 ? [`LIMIT ${limitOf(words)}`] : []),
  ].join('\n')
}

const normal = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}$]+/gu, ' ')
    .trim()

/** Names that the words contain, also in the plural. */
function named(words: string, names: readonly string[]): string[] {
  const padded = ` ${words} `
  return names.filter((name) => {
    const plain = normal(name.replace(/^\$/, '')).trim()
    const spaced = plain.replace(/pageview/, 'page view')
    return plain !== '' && [plain, `${plain}s`, spaced, `${spaced}s`].some((form) => padded.includes(` ${form} `))
  })
}

function breakdownOf(words: string, names: KnownNames): string | undefined {
  const by = /\b(?:by|per|for each|top)\s+(.+)$/.exec(words)?.[1] ?? ''
  const [ofEvent] = named(by, names.eventProperties)
  if (ofEvent !== undefined) return access('properties', ofEvent)
  const [ofPerson] = named(by, names.personProperties)
  return ofPerson === undefined ? undefined : access('person.properties', ofPerson)
}

const access = (of: string, key: string) => (/^[A-Za-z_$][\w$]*$/.test(key) ? `${of}.${key}` : `${of}[${quoted(key)}]`)

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function condition(events: readonly string[]): string {
  if (events.length === 0) return ''
  return events.length === 1
    ? `\n  AND event = ${quoted(events[0] as string)}`
    : `\n  AND event IN (${events.map(quoted).join(', ')})`
}

function daysOf(words: string): number {
  const said = /\b(?:last|past|previous|this)\s+(\d+)?\s*(hour|day|week|fortnight|month|quarter|year)s?\b/.exec(words)
  if (/\btoday\b/.test(words)) return 1
  if (!said) return 30
  return Math.max(1, Math.ceil(Math.min(Number(said[1] ?? 1), 10_000) * (PERIODS[said[2] as string] as number)))
}

const limitOf = (words: string): number => Math.min(Number(/\btop (\d{1,4})\b/.exec(words)?.[1] ?? 100), 1_000)
