import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { EvaluationReasons } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { valueText } from '../../lib/format.ts'
import { Badge } from '../../ui/controls.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { type Column, Table, TableSkeleton } from '../../ui/table.tsx'
import { reasonText } from './sentences.ts'
import './flags.css'

type Row = EvaluationReasons[string] & { key: string }

/** What every flag is for a person right now, and why. */
export function PersonFlags({ distinctId }: { distinctId: string }) {
  const project = useProject()
  const params = useProjectParams()
  const { data, error, refetch } = useQuery({
    queryKey: ['person-flags', project.id, distinctId],
    queryFn: ({ signal }) =>
      ask<EvaluationReasons>(inProject(project.id, 'feature_flags/evaluation_reasons/'), {
        query: { distinct_id: distinctId },
        signal,
      }),
  })
  const columns: Column<Row>[] = [
    {
      id: 'flag',
      header: 'Flag',
      cell: ({ key }) => (
        <Link
          to="/project/$projectId/flags/$flagId"
          params={{ ...params, flagId: key }}
          search={{ view: 'test', who: distinctId }}
          className="flag-name flag-key"
        >
          {key}
        </Link>
      ),
    },
    {
      id: 'value',
      header: 'Value',
      cell: ({ value }) => <Badge tone={value === false ? 'neutral' : 'good'}>{valueText(value)}</Badge>,
    },
    { id: 'why', header: 'Why', spare: true, cell: ({ evaluation }) => reasonText(evaluation) },
  ]
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (!data) return <TableSkeleton columns={columns} rows={4} />
  const rows = Object.entries(data).map(([key, each]) => ({ key, ...each }))
  if (rows.length === 0)
    return (
      <EmptyState icon="flag" title="No flags yet">
        This project has no feature flags.
      </EmptyState>
    )
  return <Table label="Feature flags of this person" columns={columns} rows={rows} rowKey={({ key }) => key} />
}
