import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { FeatureFlag } from '../../api/contract.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { featureFlags } from '../../api/queries.ts'
import { ago, dateTime, number } from '../../lib/format.ts'
import { userName } from '../../lib/names.ts'
import { useDebounced } from '../../lib/use-debounced.ts'
import { Segmented } from '../../ui/controls.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { type Column, Table, TableSkeleton } from '../../ui/table.tsx'
import { State } from './flag-state.tsx'
import { rolloutText } from './sentences.ts'
import './flags.css'

const ASKED = {
  all: {},
  on: { active: 'true' },
  off: { active: 'false' },
  stale: { active: 'STALE' },
  archived: { archived: 'true' },
} as const

const MOST = 500

/** Flags: which are on, for how many, and whether anybody still asks for them. */
export function FlagsPage() {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate({ from: '/project/$projectId/flags' })
  const { search = '', show = 'all' } = useSearch({ from: '/project/$projectId/flags' })
  const asked = useDebounced(search.trim())
  const { data, error, isPending, refetch } = useQuery(
    featureFlags(project.id, { limit: MOST, search: asked, ...ASKED[show] }),
  )
  const columns: Column<FeatureFlag>[] = [
    {
      id: 'flag',
      header: 'Flag',
      width: '38%',
      cell: (flag) => (
        <span className="flag-name">
          <span className="flag-key truncate">{flag.key}</span>
          {flag.name && <span className="soft tiny truncate">{flag.name}</span>}
        </span>
      ),
    },
    { id: 'state', header: 'State', width: '124px', cell: (flag) => <State flag={flag} /> },
    { id: 'rollout', header: 'Rollout', spare: true, cell: ({ filters }) => rolloutText(filters) },
    { id: 'by', header: 'By', spare: true, width: '110px', cell: ({ created_by }) => userName(created_by) },
    {
      id: 'called',
      header: 'Last called',
      align: 'right',
      spare: true,
      width: '120px',
      cell: ({ last_called_at: at }) =>
        at === null ? (
          <span className="soft">never</span>
        ) : (
          <span title={dateTime(at, project.timezone)}>{ago(at)}</span>
        ),
    },
  ]
  const set = (next: { search?: string | undefined; show?: keyof typeof ASKED }) =>
    void navigate({
      search: (was) => ({
        ...was,
        ...('search' in next ? { search: next.search || undefined } : {}),
        ...(next.show === undefined ? {} : { show: next.show === 'all' ? undefined : next.show }),
      }),
      replace: true,
    })
  return (
    <Page
      title="Feature flags"
      sub="Turn features on for some people, and see what it changes."
      actions={
        <>
          <Link to="/project/$projectId/experiments" params={params} className="button button-plain">
            Experiments
          </Link>
          <Link to="/project/$projectId/early-access" params={params} className="button button-plain">
            Early access
          </Link>
          <Link to="/project/$projectId/flags/new" params={params} className="button button-primary">
            <Icon name="plus" size={16} /> New flag
          </Link>
        </>
      }
    >
      <div className="row-wrap">
        <input
          className="input"
          style={{ maxWidth: 280 }}
          placeholder="Search"
          aria-label="Search flags"
          value={search}
          onChange={(event) => set({ search: event.target.value })}
        />
        <Segmented
          label="Which flags"
          value={show}
          onChange={(next) => set({ show: next })}
          options={[
            { value: 'all', label: 'All' },
            { value: 'on', label: 'On' },
            { value: 'off', label: 'Off' },
            { value: 'stale', label: 'Stale' },
            { value: 'archived', label: 'Archived' },
          ]}
        />
      </div>
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : isPending ? (
        <TableSkeleton columns={columns} rows={6} />
      ) : data.results.length === 0 ? (
        <EmptyState icon="flag" title={asked || show !== 'all' ? 'No matches' : 'No flags yet'}>
          {show === 'stale'
            ? 'A flag is stale when nobody has asked for it in 30 days.'
            : 'Make one, choose who gets it, and ask for it in your code.'}
        </EmptyState>
      ) : (
        <>
          <Table
            label="Feature flags"
            columns={columns}
            rows={data.results}
            rowKey={({ id }) => String(id)}
            link={({ id }) => (
              <Link to="/project/$projectId/flags/$flagId" params={{ ...params, flagId: String(id) }} />
            )}
          />
          {data.count > MOST && (
            <p className="soft small">
              The first {number(MOST)} of {number(data.count)}: search for the others.
            </p>
          )}
        </>
      )}
    </Page>
  )
}
