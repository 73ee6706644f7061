import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Annotation } from '../../../api/contract.ts'
import { ask, inProject } from '../../../api/http.ts'
import { useProject } from '../../../api/project.tsx'
import { Button, Select, TextField } from '../../../ui/controls.tsx'
import { FormDialog } from '../../../ui/dialog.tsx'
import { TextArea } from '../../../ui/text-area.tsx'
import { sayFailure } from '../../../ui/toast.tsx'
import { useRemoval } from '../../lists/index.ts'
import { localText, momentOf } from './notes.ts'

/** Writes an annotation, or changes one. */
export function AnnotationDialog({
  annotation,
  insight,
  onClose,
}: {
  annotation: (Annotation & { date_marker: string }) | undefined
  /** The saved insight it may belong to. */
  insight: number | undefined
  onClose: () => void
}) {
  const project = useProject()
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: (body: object) =>
      ask(inProject(project.id, annotation ? `annotations/${annotation.id}/` : 'annotations/'), {
        method: annotation ? 'PATCH' : 'POST',
        body,
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['annotations'] })
      onClose()
    },
    onError: sayFailure,
  })
  const remove = useRemoval()
  const submit = (form: FormData) => {
    const scope = String(form.get('scope'))
    save.mutate({
      content: String(form.get('content')).trim(),
      date_marker: momentOf(String(form.get('when')), project.timezone),
      scope,
      ...(scope === 'dashboard_item' ? { dashboard_item: annotation?.dashboard_item ?? insight ?? null } : {}),
    })
  }
  const now = new Date().toISOString()
  const hasInsight = (annotation?.dashboard_item ?? insight) !== undefined
  return (
    <FormDialog
      title={annotation ? 'Change the annotation' : 'New annotation'}
      busy={save.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextArea
        label="What happened"
        name="content"
        rows={3}
        maxLength={8192}
        defaultValue={annotation?.content ?? ''}
        required
      />
      <TextField
        label="When"
        name="when"
        type="datetime-local"
        required
        defaultValue={localText(annotation?.date_marker ?? now, project.timezone)
          .slice(0, 16)
          .replace(' ', 'T')}
        hint={`In ${project.timezone}.`}
      />
      <Select
        label="Shown on"
        name="scope"
        hideLabel={false}
        defaultValue={annotation?.scope ?? 'project'}
        options={[
          ...(hasInsight || annotation?.scope === 'dashboard_item'
            ? [{ value: 'dashboard_item', label: 'This insight' }]
            : []),
          ...(annotation?.scope === 'dashboard' ? [{ value: 'dashboard', label: 'Its dashboard' }] : []),
          { value: 'project', label: 'All charts of this project' },
          { value: 'organization', label: 'All projects of the organisation' },
        ]}
      />
      {annotation && (
        <div>
          <Button
            kind="danger"
            small
            icon="trash"
            onClick={() => {
              remove.mutate({
                path: inProject(project.id, `annotations/${annotation.id}/`),
                name: 'the annotation',
                keys: ['annotations'],
              })
              onClose()
            }}
          >
            Delete
          </Button>
        </div>
      )}
    </FormDialog>
  )
}
