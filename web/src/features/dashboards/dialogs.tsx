import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Dashboard } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { TextField } from '../../ui/controls.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { fillFrom } from './make-tiles.ts'
import { TEMPLATES } from './templates.ts'
import './dialogs.css'

/** A new dashboard, or another name for one that is there. */
export function NameDashboard({
  dashboard,
  onClose,
  onSaved = onClose,
}: {
  dashboard?: Dashboard
  onClose: () => void
  onSaved?: (saved: Dashboard) => void
}) {
  const project = useProject()
  const client = useQueryClient()
  const [template, setTemplate] = useState('blank')
  const save = useMutation({
    mutationFn: async (fields: { name: string; description: string }) => {
      if (dashboard)
        return ask<Dashboard>(inProject(project.id, `dashboards/${dashboard.id}/`), { method: 'PATCH', body: fields })
      const made = await ask<Dashboard>(inProject(project.id, 'dashboards/'), { body: fields })
      const chosen = TEMPLATES.find(({ id }) => id === template)
      if (chosen) await fillFrom(chosen, project.id, made.id)
      return made
    },
    onSuccess: (saved) => {
      void client.invalidateQueries({ queryKey: ['dashboards'] })
      void client.invalidateQueries({ queryKey: ['dashboard'] })
      onSaved(saved)
    },
  })
  const submit = (form: FormData) =>
    save.mutate({ name: String(form.get('name')), description: String(form.get('description')) })
  return (
    <FormDialog
      title={dashboard ? 'Name and description' : 'New dashboard'}
      save={dashboard ? 'Save' : 'Create'}
      busy={save.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Name"
        name="name"
        defaultValue={dashboard?.name ?? ''}
        required
        maxLength={400}
        autoFocus
        error={save.error?.message ?? null}
      />
      {!dashboard && (
        <fieldset className="templates">
          <legend className="field-label">Start with</legend>
          {TEMPLATES.map(({ id, name, text }) => (
            <label key={id} className="template">
              <input type="radio" name="template" checked={id === template} onChange={() => setTemplate(id)} />
              <span>
                <span className="strong">{name}</span>
                <span className="tiny soft">{text}</span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
      <TextField label="Description" name="description" defaultValue={dashboard?.description ?? ''} />
    </FormDialog>
  )
}
