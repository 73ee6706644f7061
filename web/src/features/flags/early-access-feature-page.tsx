import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { EarlyAccessFeature, ListedPerson } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { earlyAccessFeature, persons } from '../../api/queries.ts'
import { plural } from '../../lib/format.ts'
import { Badge, Button } from '../../ui/controls.tsx'
import { DeleteDialog } from '../../ui/delete-dialog.tsx'
import { MoreMenu } from '../../ui/more-menu.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { LAST_SEEN, PERSON_NAME } from '../../ui/person-columns.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { type Column, Table, TableSkeleton } from '../../ui/table.tsx'
import { EarlyAccessForm } from './early-access-form.tsx'
import { enrolmentOf, wordsOf } from './early-access-stages.ts'
import './flags.css'

type Open = 'change' | 'delete' | null

/** One early access feature: its stage, its flag, and who turned it on. */
export function EarlyAccessFeaturePage() {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const client = useQueryClient()
  const { featureId = '' } = useParams({ strict: false })
  const [open, setOpen] = useState<Open>(null)
  const { data: feature, error, refetch } = useQuery(earlyAccessFeature(project.id, featureId))
  const leave = async () => {
    await client.invalidateQueries({ queryKey: ['early-access'] })
    await navigate({ to: '/project/$projectId/early-access', params, replace: true })
  }
  return (
    <Page
      title={feature?.name ?? 'Early access feature'}
      sub={feature?.description || ' '}
      actions={
        feature && (
          <>
            <Button icon="edit" onClick={() => setOpen('change')}>
              Change
            </Button>
            <MoreMenu items={[{ icon: 'trash', label: 'Delete', does: () => setOpen('delete'), danger: true }]} />
          </>
        )
      }
    >
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : !feature ? (
        <SkeletonRows rows={6} />
      ) : (
        <>
          <Stage feature={feature} />
          {feature.feature_flag && <Enrolled flagKey={feature.feature_flag.key} />}
        </>
      )}
      {open === 'change' && feature && (
        <EarlyAccessForm feature={feature} onDone={() => setOpen(null)} onClose={() => setOpen(null)} />
      )}
      {open === 'delete' && feature && (
        <DeleteDialog
          title={`Delete ${feature.name}?`}
          remove={() => ask(inProject(project.id, `early_access_feature/${feature.id}/`), { method: 'DELETE' })}
          onGone={leave}
          onClose={() => setOpen(null)}
        >
          Its flag stays and decides for everybody alike; what people chose no longer counts.
        </DeleteDialog>
      )}
    </Page>
  )
}

function Stage({ feature }: { feature: EarlyAccessFeature }) {
  const params = useProjectParams()
  const { label, means } = wordsOf(feature.stage)
  return (
    <Card title="Stage">
      <div className="row-wrap">
        <Badge>{label}</Badge>
        <span className="small">{means}</span>
        <span className="grow" />
        {feature.documentation_url && (
          <a href={feature.documentation_url} target="_blank" rel="noreferrer" className="small">
            Documentation
          </a>
        )}
        {feature.feature_flag && (
          <Link
            to="/project/$projectId/flags/$flagId"
            params={{ ...params, flagId: String(feature.feature_flag.id) }}
            className="small"
          >
            Flag {feature.feature_flag.key}
          </Link>
        )}
      </div>
    </Card>
  )
}

const SHOWN = 200

function Enrolled({ flagKey }: { flagKey: string }) {
  const project = useProject()
  const params = useProjectParams()
  const properties = (value: string) =>
    JSON.stringify([{ key: enrolmentOf(flagKey), type: 'person', operator: 'exact', value }])
  const on = useQuery(persons(project.id, { properties: properties('true'), limit: SHOWN }))
  const off = useQuery(persons(project.id, { properties: properties('false'), limit: 1 }))
  return (
    <Card
      title="Enrolled people"
      action={
        <span className="soft small">
          {on.data && plural(on.data.count ?? 0, 'person', 'people')}
          {off.data?.count ? `, ${off.data.count} turned it off again` : ''}
        </span>
      }
      flush
    >
      {on.error ? (
        <ErrorState error={on.error} retry={() => on.refetch()} />
      ) : !on.data ? (
        <TableSkeleton columns={COLUMNS} rows={4} />
      ) : on.data.results.length === 0 ? (
        <EmptyState icon="persons" title="Nobody has enrolled yet">
          People enrol through posthog.updateEarlyAccessFeatureEnrollment(&quot;{flagKey}&quot;, true) in your app.
        </EmptyState>
      ) : (
        <Table
          label="Enrolled people"
          columns={COLUMNS}
          rows={on.data.results}
          rowKey={({ uuid }) => uuid}
          link={({ uuid }) => (
            <Link to="/project/$projectId/persons/$personId" params={{ ...params, personId: uuid }} />
          )}
        />
      )}
    </Card>
  )
}

const COLUMNS: Column<ListedPerson>[] = [PERSON_NAME, LAST_SEEN]
