import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { Group, GroupType } from '../../api/contract.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { groups, groupTypes, recordings } from '../../api/queries.ts'
import { ago, capitalised, dateTime, number } from '../../lib/format.ts'
import type { Json } from '../../lib/json.ts'
import { groupName, groupWords } from '../../lib/names.ts'
import { Avatar } from '../../ui/controls.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { PropertyTable } from '../../ui/properties.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import type { Draft, Filter } from '../insights/index.ts'
import { InsightTile, toNode } from '../insights/index.ts'
import { PeopleList, PeopleSkeleton, useActors } from '../panels/index.ts'
import { Timeline } from '../persons/index.ts'
import { askedOf, RecordingList } from '../recordings/index.ts'
import '../../ui/profile.css'

export function GroupPage() {
  const project = useProject()
  const params = useProjectParams()
  const { groupType = '', groupKey = '' } = useParams({ strict: false })
  const types = useQuery(groupTypes(project.id))
  const type = types.data?.find(({ group_type }) => group_type === groupType)
  const found = useQuery({
    ...groups(project.id, { group_type_index: type?.group_type_index, group_key: groupKey }),
    enabled: type !== undefined,
  })
  const group = found.data?.results.find(({ group_key }) => group_key === groupKey)
  const failed = [types, found].find(({ error }) => error)
  const name = group ? groupName(group) : groupKey
  return (
    <Page
      title={
        <div className="row" style={{ gap: 16 }}>
          <Avatar name={name} size={44} />
          <div className="grow">
            <h1 className="truncate">{name}</h1>
            <p className="soft small">
              {type ? groupWords(type)[0] : groupType}
              {group && (
                <span title={dateTime(group.created_at, project.timezone)}>, first seen {ago(group.created_at)}</span>
              )}
            </p>
          </div>
        </div>
      }
      actions={
        <Link
          to="/project/$projectId/groups"
          params={params}
          search={{ type: type?.group_type_index }}
          className="button button-quiet narrow-hidden"
        >
          <Icon name="left" size={16} /> {type ? capitalised(groupWords(type)[1]) : 'Groups'}
        </Link>
      }
    >
      {failed ? (
        <ErrorState error={failed.error} retry={() => failed.refetch()} />
      ) : types.isPending || (type && found.isPending) ? (
        <SkeletonRows rows={8} />
      ) : !type ? (
        <EmptyState icon="groups" title={`There is no group type "${groupType}"`}>
          A group type appears with the first event that uses it.
        </EmptyState>
      ) : (
        <Known key={groupKey} type={type} groupKey={groupKey} group={group} />
      )}
    </Page>
  )
}

type View = 'people' | 'events' | 'recordings'

function Known({ type, groupKey, group }: { type: GroupType; groupKey: string; group: Group | undefined }) {
  const project = useProject()
  const navigate = useNavigate({ from: '/project/$projectId/groups/$groupType/$groupKey' })
  const { view = 'people' } = useSearch({ from: '/project/$projectId/groups/$groupType/$groupKey' })
  const setView = (next: View) =>
    void navigate({
      search: (was) => ({ ...was, view: next === 'people' ? undefined : next }),
      replace: true,
      resetScroll: false,
    })
  const onEvents: Filter = {
    key: `$group_${type.group_type_index}`,
    type: 'event',
    operator: 'exact',
    value: [groupKey],
  }
  const active: Draft = {
    kind: 'trends',
    series: [{ event: null, math: 'dau', name: 'Active people' }],
    filters: [onEvents],
    from: '-90d',
    interval: 'week',
  }
  const seen = useQuery(recordings(project.id, askedOf({ filters: [onEvents] })))
  return (
    <div className="profile">
      <section className="stack profile-side">
        <h2>Properties</h2>
        {group ? (
          <PropertyTable properties={group.group_properties} />
        ) : (
          <p className="small soft">
            This group has no properties yet. Send a $groupidentify event, or call group() in the SDK with properties.
          </p>
        )}
      </section>
      <section className="profile-main stack" style={{ gap: 16 }}>
        <Card title="Active people by week">
          <InsightTile draft={active} height={200} />
        </Card>
        <Tabs
          label="About this group"
          value={view}
          onChange={setView}
          tabs={[
            { value: 'people', label: 'People' },
            { value: 'events', label: 'Events' },
            {
              value: 'recordings',
              label: seen.data ? `Recordings (${number(seen.data.results.length)})` : 'Recordings',
            },
          ]}
        />
        {view === 'people' ? (
          <People source={{ kind: 'InsightActorsQuery', source: toNode(active), series: 0 }} />
        ) : view === 'events' ? (
          <Timeline
            of={{ properties: JSON.stringify([onEvents]) }}
            named
            empty="There are no events for this group."
            recorded={new Set(seen.data?.results.map(({ id }) => id))}
          />
        ) : seen.error ? (
          <ErrorState error={seen.error} retry={() => seen.refetch()} />
        ) : seen.data ? (
          <RecordingList recordings={seen.data.results} empty="No sessions were recorded in the last 30 days." />
        ) : (
          <SkeletonRows rows={4} height={36} />
        )}
      </section>
    </div>
  )
}

function People({ source }: { source: Json }) {
  const { actors, known, error, refetch, more } = useActors(source)
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (!known) return <PeopleSkeleton />
  if (actors.length === 0)
    return (
      <EmptyState icon="persons" title="No active people">
        There are no events for this group in the last 90 days.
      </EmptyState>
    )
  return <PeopleList actors={actors} more={more} />
}
