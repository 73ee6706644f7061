import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { groups, groupTypes } from '../api/queries.ts'
import { useProject, useProjectParams } from '../frame/project.tsx'
import type { Draft } from '../insights/draft.ts'
import { InsightTile } from '../insights/tile.tsx'
import { ago, valueText } from '../lib/format.ts'
import { Avatar } from '../ui/controls.tsx'
import { Icon } from '../ui/icon.tsx'
import { Card, Page } from '../ui/page.tsx'
import { PropertyTable } from '../ui/properties.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../ui/states.tsx'
import './person.css'

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
  const error = types.error ?? found.error
  const name = valueText(group?.group_properties.name ?? groupKey)
  const draft: Draft = {
    kind: 'trends',
    series: [{ event: null, math: 'dau', name: 'Active people' }],
    filters: [{ key: `$group_${type?.group_type_index ?? 0}`, type: 'event', operator: 'exact', value: [groupKey] }],
  }
  return (
    <Page
      title={
        <div className="row" style={{ gap: 14 }}>
          <Avatar name={name} size={44} />
          <div>
            <h1>{name}</h1>
            <p className="soft small">
              {type?.name_singular ?? groupType}
              {group ? `, first seen ${ago(group.created_at)}` : ''}
            </p>
          </div>
        </div>
      }
      actions={
        <Link to="/project/$projectId/groups" params={params} className="button button-quiet">
          <Icon name="left" size={16} /> Groups
        </Link>
      }
    >
      {error ? (
        <ErrorState error={error} retry={() => found.refetch()} />
      ) : types.isPending || (type && found.isPending) ? (
        <SkeletonRows rows={8} />
      ) : !group ? (
        <EmptyState icon="groups" title="No such group">
          Its key was seen on events perhaps, but nothing is known of it until a $groupidentify event.
        </EmptyState>
      ) : (
        <div className="person">
          <section className="stack person-side">
            <h2>Properties</h2>
            <PropertyTable properties={group.group_properties} />
          </section>
          <Card title="Active people">
            <InsightTile draft={draft} height={260} />
          </Card>
        </div>
      )}
    </Page>
  )
}
