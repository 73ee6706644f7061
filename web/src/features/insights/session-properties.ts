/** What is known of the session in which an event happened: every insight can be filtered and broken down by it. */
import { ask, inProject } from '../../api/http.ts'
import { propertyName } from '../../lib/names.ts'
import type { Choice } from '../../ui/choice-list.tsx'

const TEXTS = [
  '$channel_type',
  '$entry_referring_domain',
  '$entry_utm_source',
  '$entry_utm_medium',
  '$entry_utm_campaign',
  '$entry_pathname',
  '$entry_current_url',
  '$end_pathname',
  '$is_bounce',
]
const NUMBERS = ['$session_duration', '$pageview_count', '$autocapture_count']
const ALL: readonly string[] = [...TEXTS, ...NUMBERS]

export const SESSION_CHOICES: readonly Choice[] = ALL.map((name) => ({
  value: `session:${name}`,
  label: propertyName(name),
  group: 'Session properties',
}))

/** Those whose values are numbers, as choices name them. */
export const SESSION_NUMBERS: readonly string[] = NUMBERS.map((name) => `session:${name}`)

const MOST_VALUES = 100

/** Values of the last 30 days, most frequent first. */
export async function sessionValues(projectId: number, key: string, signal: AbortSignal): Promise<unknown[]> {
  if (!ALL.includes(key)) return []
  const query = `select ${key} as value, count() as times from sessions
    where $start_timestamp >= now() - interval 30 day group by value order by times desc limit ${MOST_VALUES}`
  const { results } = await ask<{ results: unknown[][] }>(inProject(projectId, 'query/'), {
    body: { query: { kind: 'HogQLQuery', query } },
    signal,
  })
  return results.map(([value]) => value)
}
