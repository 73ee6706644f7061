import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { dayOnly } from '../../lib/format.ts'
import { userName } from '../../lib/names.ts'
import { partsOf } from '../../lib/parts-of.ts'
import { Button, Checkbox, Select, TextField } from '../../ui/controls.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import { say } from '../../ui/toast.tsx'
import type { DefinitionNotes } from './notes.ts'

const TYPES = [
  { value: 'String', label: 'text' },
  { value: 'Numeric', label: 'number' },
  { value: 'Boolean', label: 'yes or no' },
  { value: 'DateTime', label: 'date and time' },
]

export const typeName = (type: string): string => TYPES.find(({ value }) => value === type)?.label ?? type

/** What people write beside a definition: what it means, where it belongs, whether to trust it. */
export function NotesForm({
  kind,
  definition,
  onDone,
  actions,
}: {
  kind: 'event' | 'property'
  definition: DefinitionNotes & { id: string; property_type?: string | null }
  onDone: () => void
  actions?: ReactNode
}) {
  const project = useProject()
  const client = useQueryClient()
  const [verified, setVerified] = useState(definition.verified === true)
  const [hidden, setHidden] = useState(definition.hidden === true)
  const save = useMutation({
    mutationFn: (body: object) =>
      ask(inProject(project.id, `${kind}_definitions/${definition.id}/`), { method: 'PATCH', body }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [`${kind}-definitions`] })
      say('Saved')
      onDone()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const type = form.get('type')
    save.mutate({
      description: String(form.get('description')),
      tags: partsOf(String(form.get('tags')), ','),
      verified,
      hidden,
      ...(type ? { property_type: type } : {}),
    })
  }
  return (
    <form className="stack" style={{ gap: 14 }} onSubmit={submit}>
      <TextArea
        label="Description"
        name="description"
        defaultValue={definition.description ?? ''}
        maxLength={4_000}
        placeholder={kind === 'event' ? 'When it is sent, and what it means' : 'What its values mean'}
      />
      <TextField
        label="Tags"
        name="tags"
        defaultValue={definition.tags?.join(', ') ?? ''}
        placeholder="billing, core"
        hint="Separated by commas."
      />
      {kind === 'property' && (
        <Select
          label="Value type"
          name="type"
          hideLabel={false}
          defaultValue={definition.property_type ?? ''}
          options={[...(definition.property_type ? [] : [{ value: '', label: 'unknown' }]), ...TYPES]}
        />
      )}
      <div className="stack">
        <Checkbox checked={verified} onChange={(event) => setVerified(event.target.checked)}>
          Verified: checked and safe to use
        </Checkbox>
        {definition.verified && definition.verified_by && definition.verified_at && (
          <p className="tiny soft notes-by">
            by {userName(definition.verified_by)}, {dayOnly(definition.verified_at, project.timezone)}
          </p>
        )}
        <Checkbox checked={hidden} onChange={(event) => setHidden(event.target.checked)}>
          Hidden: not offered in pickers, still counted
        </Checkbox>
      </div>
      {save.error && (
        <p role="alert" className="field-error">
          {save.error.message}
        </p>
      )}
      <DialogActions>
        {actions}
        <span className="grow" />
        <Button onClick={onDone}>Cancel</Button>
        <Button kind="primary" type="submit" busy={save.isPending}>
          Save
        </Button>
      </DialogActions>
    </form>
  )
}
