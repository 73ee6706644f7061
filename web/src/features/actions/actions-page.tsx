import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Action } from '../../api/contract.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { actions } from '../../api/queries.ts'
import { ago } from '../../lib/format.ts'
import { userName } from '../../lib/names.ts'
import { Button } from '../../ui/controls.tsx'
import type { Column } from '../../ui/table.tsx'
import { ListPage } from '../lists/index.ts'
import { ActionForm } from './action-form.tsx'
import { stepsText } from './steps-text.ts'

export function ActionsPage() {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const [making, setMaking] = useState(false)
  const open = ({ id }: Action) =>
    void navigate({ to: '/project/$projectId/actions/$actionId', params: { ...params, actionId: String(id) } })
  return (
    <ListPage
      title="Actions"
      sub="Names for events that mean the same thing."
      actions={
        <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
          New action
        </Button>
      }
      icon="tag"
      empty="Describe clicks and page views once, and count them everywhere under one name."
      ask={(search) => actions(project.id, { limit: 500, search })}
      columns={COLUMNS}
      rowKey={({ id }) => String(id)}
      link={({ id }) => (
        <Link to="/project/$projectId/actions/$actionId" params={{ ...params, actionId: String(id) }} />
      )}
    >
      {making && <ActionForm onDone={open} onClose={() => setMaking(false)} />}
    </ListPage>
  )
}

const COLUMNS: Column<Action>[] = [
  { id: 'name', header: 'Name', width: '30%', cell: ({ name, id }) => name || `Action ${id}` },
  {
    id: 'steps',
    header: 'Matches',
    spare: true,
    cell: ({ steps }) => <span className="truncate">{stepsText(steps)}</span>,
  },
  { id: 'by', header: 'By', spare: true, cell: ({ created_by }) => userName(created_by) },
  { id: 'made', header: 'Created', align: 'right', width: '120px', cell: ({ created_at }) => ago(created_at) },
]
