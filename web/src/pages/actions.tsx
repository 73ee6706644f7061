import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ActionForm } from '../actions/action-form.tsx'
import { stepsText } from '../actions/steps-text.ts'
import { actions } from '../api/queries.ts'
import type { Action } from '../api/types.ts'
import { useProject, useProjectParams } from '../frame/project.tsx'
import { ago } from '../lib/format.ts'
import { useDebounced } from '../lib/use-debounced.ts'
import { Button } from '../ui/controls.tsx'
import { Page } from '../ui/page.tsx'
import { EmptyState, ErrorState } from '../ui/states.tsx'
import { type Column, Table, TableSkeleton } from '../ui/table.tsx'

export function ActionsPage() {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const [making, setMaking] = useState(false)
  const [search, setSearch] = useState('')
  const asked = useDebounced(search.trim())
  const { data, error, isPending, refetch } = useQuery(actions(project.id, { limit: 500, search: asked }))
  const open = ({ id }: Action) =>
    void navigate({ to: '/project/$projectId/actions/$actionId', params: { ...params, actionId: String(id) } })
  return (
    <Page
      title="Actions"
      sub="Names for events that mean the same thing."
      actions={
        <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
          New action
        </Button>
      }
    >
      <input
        className="input"
        style={{ maxWidth: 320 }}
        placeholder="Search"
        aria-label="Search actions"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : isPending ? (
        <TableSkeleton columns={COLUMNS} rows={6} />
      ) : data.results.length === 0 ? (
        <EmptyState icon="tag" title={asked ? 'Nothing matches' : 'No actions yet'}>
          Describe clicks and page views once, and count them everywhere under one name.
        </EmptyState>
      ) : (
        <Table label="Actions" columns={COLUMNS} rows={data.results} rowKey={({ id }) => String(id)} onOpen={open} />
      )}
      {making && <ActionForm onDone={open} onClose={() => setMaking(false)} />}
    </Page>
  )
}

const COLUMNS: Column<Action>[] = [
  { id: 'name', header: 'Name', width: '30%', cell: ({ name, id }) => name || `Action ${id}` },
  { id: 'steps', header: 'Is', spare: true, cell: ({ steps }) => <span className="truncate">{stepsText(steps)}</span> },
  { id: 'by', header: 'By', spare: true, cell: ({ created_by }) => created_by?.first_name || created_by?.email || '' },
  { id: 'made', header: 'Made', align: 'right', width: '120px', cell: ({ created_at }) => ago(created_at) },
]
