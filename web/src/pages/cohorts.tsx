import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { cohorts } from '../api/queries.ts'
import type { Cohort } from '../api/types.ts'
import { CohortForm } from '../cohorts/cohort-form.tsx'
import { useProject, useProjectParams } from '../frame/project.tsx'
import { ago, number } from '../lib/format.ts'
import { useDebounced } from '../lib/use-debounced.ts'
import { Button } from '../ui/controls.tsx'
import { Page } from '../ui/page.tsx'
import { EmptyState, ErrorState } from '../ui/states.tsx'
import { type Column, Table, TableSkeleton } from '../ui/table.tsx'

export function CohortsPage() {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const [making, setMaking] = useState(false)
  const [search, setSearch] = useState('')
  const asked = useDebounced(search.trim())
  const { data, error, isPending, refetch } = useQuery(cohorts(project.id, { limit: 500, search: asked }))
  const open = ({ id }: Cohort) =>
    void navigate({ to: '/project/$projectId/cohorts/$cohortId', params: { ...params, cohortId: String(id) } })
  return (
    <Page
      title="Cohorts"
      sub="Persons with something in common, to filter and compare by."
      actions={
        <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
          New cohort
        </Button>
      }
    >
      <input
        className="input"
        style={{ maxWidth: 320 }}
        placeholder="Search"
        aria-label="Search cohorts"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : isPending ? (
        <TableSkeleton columns={COLUMNS} rows={6} />
      ) : data.results.length === 0 ? (
        <EmptyState icon="persons" title={asked ? 'Nothing matches' : 'No cohorts yet'}>
          Say what its persons are and did, or open the people behind a number and save them as a cohort.
        </EmptyState>
      ) : (
        <Table label="Cohorts" columns={COLUMNS} rows={data.results} rowKey={({ id }) => String(id)} onOpen={open} />
      )}
      {making && <CohortForm onDone={open} onClose={() => setMaking(false)} />}
    </Page>
  )
}

const COLUMNS: Column<Cohort>[] = [
  { id: 'name', header: 'Name', cell: ({ name, id }) => name || `Cohort ${id}` },
  { id: 'kind', header: 'Kind', spare: true, cell: ({ is_static }) => (is_static ? 'list' : 'by criteria') },
  { id: 'count', header: 'Persons', align: 'right', cell: ({ count }) => number(count) },
  { id: 'by', header: 'By', spare: true, cell: ({ created_by }) => created_by?.first_name || created_by?.email || '' },
  { id: 'made', header: 'Made', align: 'right', cell: ({ created_at }) => ago(created_at) },
]
