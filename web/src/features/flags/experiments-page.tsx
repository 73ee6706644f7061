import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { Experiment } from '../../api/contract.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { experiments } from '../../api/queries.ts'
import { dayOnly, number } from '../../lib/format.ts'
import { useDebounced } from '../../lib/use-debounced.ts'
import { Segmented } from '../../ui/controls.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { type Column, Table, TableSkeleton } from '../../ui/table.tsx'
import { ExperimentState } from './experiment-state.tsx'
import './flags.css'

const MOST = 200

/** Experiments of all flags: which run, which have ended. */
export function ExperimentsPage() {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate({ from: '/project/$projectId/experiments' })
  const { search = '', show = 'all' } = useSearch({ from: '/project/$projectId/experiments' })
  const asked = useDebounced(search.trim())
  const { data, error, isPending, refetch } = useQuery(
    experiments(project.id, { limit: MOST, search: asked, status: show }),
  )
  const columns: Column<Experiment>[] = [
    {
      id: 'name',
      header: 'Experiment',
      width: '45%',
      cell: ({ name, feature_flag_key }) => (
        <span className="flag-name">
          <span className="strong truncate">{name}</span>
          <span className="soft tiny truncate">{feature_flag_key}</span>
        </span>
      ),
    },
    { id: 'state', header: 'State', width: '100px', cell: (experiment) => <ExperimentState experiment={experiment} /> },
    {
      id: 'from',
      header: 'Started',
      align: 'right',
      spare: true,
      cell: ({ start_date: at }) => (at === null ? '' : dayOnly(at, project.timezone)),
    },
    {
      id: 'to',
      header: 'Ended',
      align: 'right',
      spare: true,
      cell: ({ end_date: at }) => (at === null ? '' : dayOnly(at, project.timezone)),
    },
    {
      id: 'goals',
      header: 'Goals',
      align: 'right',
      spare: true,
      width: '80px',
      cell: (experiment) => number(goalsOf(experiment)),
    },
  ]
  const set = (next: { search?: string; show?: typeof show }) =>
    void navigate({
      search: (was) => ({
        ...was,
        ...(next.search === undefined ? {} : { search: next.search || undefined }),
        ...(next.show === undefined ? {} : { show: next.show === 'all' ? undefined : next.show }),
      }),
      replace: true,
    })
  return (
    <Page
      title="Experiments"
      sub="What the variants of a flag change, and whether that can be believed yet."
      actions={
        <Link to="/project/$projectId/flags" params={params} className="button button-plain">
          Flags
        </Link>
      }
    >
      <div className="row-wrap">
        <input
          className="input"
          style={{ maxWidth: 280 }}
          placeholder="Search"
          aria-label="Search experiments"
          value={search}
          onChange={(event) => set({ search: event.target.value })}
        />
        <Segmented
          label="Which experiments"
          value={show}
          onChange={(next) => set({ show: next })}
          options={[
            { value: 'all', label: 'All' },
            { value: 'draft', label: 'Not started' },
            { value: 'running', label: 'Running' },
            { value: 'complete', label: 'Ended' },
          ]}
        />
      </div>
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : isPending ? (
        <TableSkeleton columns={columns} rows={4} />
      ) : data.results.length === 0 ? (
        <EmptyState icon="funnel" title={asked || show !== 'all' ? 'No matches' : 'No experiments yet'}>
          Open a flag with variants and start one under its tab Experiment.
        </EmptyState>
      ) : (
        <Table
          label="Experiments"
          columns={columns}
          rows={data.results}
          rowKey={({ id }) => String(id)}
          link={({ feature_flag }) => (
            <Link
              to="/project/$projectId/flags/$flagId"
              params={{ ...params, flagId: String(feature_flag.id) }}
              search={{ view: 'experiment' }}
            />
          )}
        />
      )}
    </Page>
  )
}

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0)
const goalsOf = ({ metrics, metrics_secondary }: Experiment): number => lengthOf(metrics) + lengthOf(metrics_secondary)
