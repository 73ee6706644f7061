import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { Person } from '../../api/contract.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { person as personQuery, recordings } from '../../api/queries.ts'
import { ago, dateTime, number, plural } from '../../lib/format.ts'
import { lastSeenOf, personName } from '../../lib/names.ts'
import { LAST_30_DAYS } from '../../lib/usual-ranges.ts'
import { Avatar, Badge, Button } from '../../ui/controls.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorState, Skeleton, SkeletonRows } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { PersonFlags } from '../flags/index.ts'
import { RecordingList } from '../recordings/index.ts'
import { DeletePerson } from './delete-person.tsx'
import { EditableProperties } from './editable-properties.tsx'
import { MergeHistory, PersonGroups } from './history.tsx'
import { Timeline } from './timeline.tsx'
import '../../ui/profile.css'
import './person-page.css'

type View = 'timeline' | 'recordings' | 'groups' | 'flags' | 'history'

export function PersonPage() {
  const project = useProject()
  const { personId = '' } = useParams({ strict: false })
  const { data: person, error, refetch } = useQuery(personQuery(project.id, personId))
  if (error)
    return (
      <Page title="Person">
        <ErrorState error={error} retry={() => refetch()} />
      </Page>
    )
  if (!person)
    return (
      <Page
        title={
          <div className="row" style={{ gap: 16 }}>
            <Skeleton width={44} height={44} radius={22} />
            <Skeleton width={240} height={26} />
          </div>
        }
      >
        <div className="profile">
          <SkeletonRows rows={10} />
          <SkeletonRows rows={12} />
        </div>
      </Page>
    )
  return <Known person={person} />
}

function Known({ person }: { person: Person }) {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate({ from: '/project/$projectId/persons/$personId' })
  const { view = 'timeline' } = useSearch({ from: '/project/$projectId/persons/$personId' })
  const setView = (next: View) =>
    void navigate({
      search: (was) => ({ ...was, view: next === 'timeline' ? undefined : next }),
      replace: true,
      resetScroll: false,
    })
  const [deleting, setDeleting] = useState(false)
  const seen = useQuery({
    ...recordings(project.id, { person_uuid: person.uuid, date_from: LAST_30_DAYS, limit: 100 }),
    retry: false,
  })
  const recorded = new Set(seen.data?.results.map(({ id }) => id))
  const name = personName(person)
  const seenAt = lastSeenOf(person) ?? person.created_at
  return (
    <Page
      title={
        <div className="row" style={{ gap: 16 }}>
          <Avatar name={name} size={44} />
          <div className="grow">
            <h1 className="truncate" title={name}>
              {name}
            </h1>
            <div className="row-wrap soft small">
              <span title={dateTime(person.created_at, project.timezone)}>first seen {ago(person.created_at)}</span>
              <span className="narrow-hidden" aria-hidden="true">
                ·
              </span>
              <span title={dateTime(seenAt, project.timezone)}>last seen {ago(seenAt)}</span>
              {person.is_identified !== undefined && (
                <Badge tone={person.is_identified ? 'accent' : 'neutral'}>
                  {person.is_identified ? 'identified' : 'anonymous'}
                </Badge>
              )}
            </div>
          </div>
        </div>
      }
      actionsBeside
      actions={
        <>
          <Link to="/project/$projectId/persons" params={params} className="button button-quiet narrow-hidden">
            <Icon name="left" size={16} /> Persons
          </Link>
          <Button kind="danger" icon="trash" aria-label="Delete" onClick={() => setDeleting(true)}>
            <span className="narrow-hidden">Delete</span>
          </Button>
        </>
      }
    >
      <div className="profile">
        <aside className="profile-side stack-l">
          <section className="stack">
            <h2>Properties</h2>
            <EditableProperties person={person} />
          </section>
          <section className="stack">
            <h2>Distinct ids</h2>
            <p className="small soft">
              {person.distinct_ids.length === 1
                ? 'One so far.'
                : `${plural(person.distinct_ids.length, 'id')} that belong to this person.`}
            </p>
            <ul className="person-ids">
              {person.distinct_ids.slice(0, 50).map((id) => (
                <li key={id} className="mono tiny">
                  {id}
                </li>
              ))}
            </ul>
          </section>
        </aside>
        <section className="profile-main stack" style={{ gap: 16 }}>
          <Tabs
            label="About this person"
            value={view}
            onChange={setView}
            tabs={[
              { value: 'timeline', label: 'Timeline' },
              {
                value: 'recordings',
                label: seen.data ? `Recordings (${number(seen.data.results.length)})` : 'Recordings',
              },
              { value: 'groups', label: 'Groups' },
              { value: 'flags', label: 'Flags' },
              { value: 'history', label: 'History' },
            ]}
          />
          {view === 'timeline' && <Timeline of={{ person_id: person.uuid }} recorded={recorded} />}
          {view === 'recordings' &&
            (seen.error ? (
              <ErrorState error={seen.error} retry={() => seen.refetch()} />
            ) : seen.data ? (
              <RecordingList recordings={seen.data.results} empty="No recordings of this person in the last 30 days." />
            ) : (
              <SkeletonRows rows={4} height={36} />
            ))}
          {view === 'groups' && <PersonGroups personId={person.uuid} />}
          {view === 'flags' && <PersonFlags distinctId={person.distinct_ids[0] ?? person.uuid} />}
          {view === 'history' && <MergeHistory person={person} />}
        </section>
      </div>
      {deleting && <DeletePerson person={person} onClose={() => setDeleting(false)} />}
    </Page>
  )
}
