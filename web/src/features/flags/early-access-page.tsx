import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { EarlyAccessFeature } from '../../api/contract.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { earlyAccessFeatures } from '../../api/queries.ts'
import { dayOnly, number } from '../../lib/format.ts'
import { Badge, Button } from '../../ui/controls.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { type Column, Table, TableSkeleton } from '../../ui/table.tsx'
import { EarlyAccessForm } from './early-access-form.tsx'
import { wordsOf } from './early-access-stages.ts'
import './flags.css'

const MOST = 200

/** Features that people may turn on for themselves before everybody gets them. */
export function EarlyAccessPage() {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const [making, setMaking] = useState(false)
  const { data, error, isPending, refetch } = useQuery(earlyAccessFeatures(project.id, { limit: MOST }))
  const columns: Column<EarlyAccessFeature>[] = [
    {
      id: 'name',
      header: 'Feature',
      width: '45%',
      cell: ({ name, feature_flag }) => (
        <span className="flag-name">
          <span className="strong truncate">{name}</span>
          {feature_flag && <span className="soft tiny truncate">{feature_flag.key}</span>}
        </span>
      ),
    },
    { id: 'stage', header: 'Stage', width: '110px', cell: ({ stage }) => <Badge>{wordsOf(stage).label}</Badge> },
    { id: 'means', header: 'Who has it', spare: true, cell: ({ stage }) => wordsOf(stage).means },
    {
      id: 'made',
      header: 'Created',
      align: 'right',
      spare: true,
      width: '130px',
      cell: ({ created_at }) => dayOnly(created_at, project.timezone),
    },
  ]
  return (
    <Page
      title="Early access"
      sub="Features that people may turn on for themselves, from your own page of previews."
      actions={
        <>
          <Link to="/project/$projectId/flags" params={params} className="button button-plain">
            Flags
          </Link>
          <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
            New feature
          </Button>
        </>
      }
    >
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : isPending ? (
        <TableSkeleton columns={columns} rows={4} />
      ) : data.results.length === 0 ? (
        <EmptyState icon="flag" title="No early access features yet">
          Make one, move it to beta, and list it in your app with posthog.getEarlyAccessFeatures().
        </EmptyState>
      ) : (
        <>
          <Table
            label="Early access features"
            columns={columns}
            rows={data.results}
            rowKey={({ id }) => id}
            link={({ id }) => (
              <Link to="/project/$projectId/early-access/$featureId" params={{ ...params, featureId: id }} />
            )}
          />
          {data.count > MOST && (
            <p className="soft small">
              The newest {number(MOST)} of {number(data.count)}.
            </p>
          )}
        </>
      )}
      {making && (
        <EarlyAccessForm
          onDone={({ id }) =>
            void navigate({ to: '/project/$projectId/early-access/$featureId', params: { ...params, featureId: id } })
          }
          onClose={() => setMaking(false)}
        />
      )}
    </Page>
  )
}
