import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { person as personQuery, recordings } from '../api/queries.ts'
import type { Person } from '../api/types.ts'
import { useProject, useProjectParams } from '../frame/project.tsx'
import { ago, dateTime, plural } from '../lib/format.ts'
import { personName } from '../lib/names.ts'
import { DeletePerson } from '../persons/delete-person.tsx'
import { EditableProperties } from '../persons/editable-properties.tsx'
import { MergeHistory, PersonGroups } from '../persons/history.tsx'
import { Timeline } from '../persons/timeline.tsx'
import { RecordingList } from '../recordings/recording-list.tsx'
import { Avatar, Badge, Button } from '../ui/controls.tsx'
import { Icon } from '../ui/icon.tsx'
import { Page } from '../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../ui/states.tsx'
import { Tabs } from '../ui/tabs.tsx'
import './person.css'

type View = 'timeline' | 'recordings' | 'groups' | 'history'

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
      <Page title="Person">
        <SkeletonRows rows={10} />
      </Page>
    )
  return <Known person={person} />
}

function Known({ person }: { person: Person }) {
  const project = useProject()
  const params = useProjectParams()
  const [view, setView] = useState<View>('timeline')
  const [deleting, setDeleting] = useState(false)
  const seen = useQuery({
    ...recordings(project.id, { person_uuid: person.uuid, date_from: '-30d', limit: 100 }),
    retry: false,
  })
  const recorded = new Set(seen.data?.results.map(({ id }) => id))
  const name = personName(person)
  return (
    <Page
      title={
        <div className="row" style={{ gap: 14 }}>
          <Avatar name={name} size={44} />
          <div className="grow">
            <h1 className="truncate">{name}</h1>
            <div className="row soft small">
              <span title={dateTime(person.created_at, project.timezone)}>first seen {ago(person.created_at)}</span>
              {person.is_identified !== undefined && (
                <Badge tone={person.is_identified ? 'accent' : 'neutral'}>
                  {person.is_identified ? 'identified' : 'anonymous'}
                </Badge>
              )}
            </div>
          </div>
        </div>
      }
      actions={
        <>
          <Link to="/project/$projectId/persons" params={params} className="button button-quiet">
            <Icon name="left" size={16} /> Persons
          </Link>
          <Button kind="danger" icon="trash" onClick={() => setDeleting(true)}>
            Delete
          </Button>
        </>
      }
    >
      <div className="person">
        <aside className="person-side stack-l">
          <section className="stack">
            <h2>Properties</h2>
            <EditableProperties person={person} />
          </section>
          <section className="stack">
            <h2>Distinct ids</h2>
            <p className="small soft">
              {person.distinct_ids.length === 1
                ? 'The only one so far.'
                : `${plural(person.distinct_ids.length, 'id')} that all mean this person.`}
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
        <section className="person-main stack" style={{ gap: 16 }}>
          <Tabs
            label="About this person"
            value={view}
            onChange={setView}
            tabs={[
              { value: 'timeline', label: 'Timeline' },
              { value: 'recordings', label: 'Recordings' },
              { value: 'groups', label: 'Groups' },
              { value: 'history', label: 'History' },
            ]}
          />
          {view === 'timeline' && <Timeline personId={person.uuid} recorded={recorded} />}
          {view === 'recordings' &&
            (seen.error ? (
              <ErrorState error={seen.error} retry={() => seen.refetch()} />
            ) : seen.data ? (
              <RecordingList
                recordings={seen.data.results}
                empty="Nothing was recorded of this person in the last 30 days."
              />
            ) : (
              <SkeletonRows rows={4} height={36} />
            ))}
          {view === 'groups' && <PersonGroups personId={person.uuid} />}
          {view === 'history' && <MergeHistory person={person} />}
        </section>
      </div>
      {deleting && <DeletePerson person={person} onClose={() => setDeleting(false)} />}
    </Page>
  )
}
