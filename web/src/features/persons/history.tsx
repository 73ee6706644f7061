import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { EventRecord, Person } from '../../api/contract.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { events, groupTypes } from '../../api/queries.ts'
import { asText } from '../../lib/as-text.ts'
import { dateTime } from '../../lib/format.ts'
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/states.tsx'

/** The groups on this person's latest events. */
export function PersonGroups({ personId }: { personId: string }) {
  const project = useProject()
  const params = useProjectParams()
  const { data, error, isPending, refetch } = useQuery(events(project.id, { person_id: personId, limit: 200 }))
  const { data: types } = useQuery(groupTypes(project.id))
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (isPending) return <SkeletonRows rows={3} />
  const groups = groupsOf(data.results)
  if (groups.length === 0)
    return (
      <EmptyState icon="groups" title="No groups">
        Groups appear here when events include $groups, for example company: acme.
      </EmptyState>
    )
  return (
    <ul className="facts">
      {groups.map(([type, key]) => (
        <li key={`${type}/${key}`}>
          <span className="soft">{types?.find(({ group_type }) => group_type === type)?.name_singular ?? type}</span>
          <Link
            to="/project/$projectId/groups/$groupType/$groupKey"
            params={{ ...params, groupType: type, groupKey: key }}
          >
            {key}
          </Link>
        </li>
      ))}
    </ul>
  )
}

function groupsOf(list: readonly EventRecord[]): [string, string][] {
  const seen = new Map<string, [string, string]>()
  for (const { properties } of list) {
    const groups = properties.$groups
    if (typeof groups !== 'object' || groups === null || Array.isArray(groups)) continue
    for (const [type, key] of Object.entries(groups)) seen.set(`${type}/${asText(key)}`, [type, asText(key)])
  }
  return [...seen.values()]
}

const TELLING = ['$identify', '$create_alias', '$merge_dangerously']

/** Which ids became one person, when, and by which event. */
export function MergeHistory({ person }: { person: Person }) {
  const project = useProject()
  const identify = useQuery(events(project.id, { person_id: person.uuid, event: '$identify', limit: 50 }))
  const alias = useQuery(events(project.id, { person_id: person.uuid, event: '$create_alias', limit: 50 }))
  const merge = useQuery(events(project.id, { person_id: person.uuid, event: '$merge_dangerously', limit: 50 }))
  const all = [identify, alias, merge]
  const failed = all.find(({ error }) => error)
  if (failed) return <ErrorState error={failed.error} retry={() => failed.refetch()} />
  if (all.some(({ isPending }) => isPending)) return <SkeletonRows rows={3} />
  const steps = all
    .flatMap(({ data }) => data?.results ?? [])
    .filter((event) => TELLING.includes(event.event))
    .map((event) => ({ event, words: inWords(event) }))
    .filter((step): step is { event: EventRecord; words: string } => step.words !== null)
    .sort((a, b) => b.event.timestamp.localeCompare(a.event.timestamp))
  return (
    <ol className="facts">
      {steps.map(({ event, words }) => (
        <li key={event.id}>
          <time className="soft tiny" dateTime={event.timestamp}>
            {dateTime(event.timestamp, project.timezone)}
          </time>
          <span>{words}</span>
        </li>
      ))}
      <li>
        <time className="soft tiny" dateTime={person.created_at}>
          {dateTime(person.created_at, project.timezone)}
        </time>
        <span>First seen.</span>
      </li>
    </ol>
  )
}

function inWords({ event, distinct_id, properties }: EventRecord): string | null {
  if (event === '$identify') {
    const before = properties.$anon_distinct_id
    return typeof before === 'string' && before !== distinct_id
      ? `The anonymous visitor ${before} signed in as ${distinct_id}.`
      : null
  }
  const alias = properties.alias
  if (typeof alias !== 'string') return null
  return event === '$create_alias'
    ? `${distinct_id} and ${alias} were linked as the same person.`
    : `${alias} was force-merged into ${distinct_id}.`
}
