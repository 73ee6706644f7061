import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Cohort } from '../../api/contract.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { cohorts } from '../../api/queries.ts'
import { ago, number } from '../../lib/format.ts'
import { userName } from '../../lib/names.ts'
import { Button } from '../../ui/controls.tsx'
import type { Column } from '../../ui/table.tsx'
import { ListPage } from '../lists/index.ts'
import { CohortForm } from './cohort-form.tsx'

export function CohortsPage() {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const [making, setMaking] = useState(false)
  const open = ({ id }: Cohort) =>
    void navigate({ to: '/project/$projectId/cohorts/$cohortId', params: { ...params, cohortId: String(id) } })
  return (
    <ListPage
      title="Cohorts"
      sub="Sets of persons to filter and compare by."
      actions={
        <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
          New cohort
        </Button>
      }
      icon="persons"
      empty="Define one by properties and behaviour, or open the people behind a number and save them as a cohort."
      ask={(search) => cohorts(project.id, { limit: 500, search })}
      columns={COLUMNS}
      rowKey={({ id }) => String(id)}
      link={({ id }) => (
        <Link to="/project/$projectId/cohorts/$cohortId" params={{ ...params, cohortId: String(id) }} />
      )}
    >
      {making && <CohortForm onDone={open} onClose={() => setMaking(false)} />}
    </ListPage>
  )
}

const COLUMNS: Column<Cohort>[] = [
  { id: 'name', header: 'Name', cell: ({ name, id }) => name || `Cohort ${id}` },
  { id: 'kind', header: 'Kind', spare: true, cell: ({ is_static }) => (is_static ? 'static' : 'dynamic') },
  { id: 'count', header: 'Persons', align: 'right', cell: ({ count }) => number(count) },
  { id: 'by', header: 'By', spare: true, cell: ({ created_by }) => userName(created_by) },
  { id: 'made', header: 'Created', align: 'right', cell: ({ created_at }) => ago(created_at) },
]
