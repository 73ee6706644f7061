import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Dashboard } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { TextField } from '../../ui/controls.tsx'
import { FormDialog } from '../../ui/dialog.tsx'

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
  const save = useMutation({
    mutationFn: (fields: { name: string; description: string }) =>
      dashboard
        ? ask<Dashboard>(inProject(project.id, `dashboards/${dashboard.id}/`), { method: 'PATCH', body: fields })
        : ask<Dashboard>(inProject(project.id, 'dashboards/'), { body: fields }),
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
      <TextField label="Description" name="description" defaultValue={dashboard?.description ?? ''} />
    </FormDialog>
  )
}
