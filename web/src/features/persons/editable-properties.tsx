import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Person } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { person as personQuery } from '../../api/queries.ts'
import { valueText } from '../../lib/format.ts'
import type { Json, Properties } from '../../lib/json.ts'
import { Button, TextField } from '../../ui/controls.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { PropertyTable } from '../../ui/properties.tsx'
import { say } from '../../ui/toast.tsx'

/** A person's properties: click a value to change it, add one, take one away. */
export function EditableProperties({ person }: { person: Person }) {
  const [editing, setEditing] = useState<string | null>(null)
  return (
    <div className="stack">
      <PropertyTable properties={person.properties ?? {}} onEdit={setEditing} fold />
      <div>
        <Button small kind="quiet" icon="plus" onClick={() => setEditing('')}>
          Add a property
        </Button>
      </div>
      {editing !== null && <EditProperty person={person} name={editing} onClose={() => setEditing(null)} />}
    </div>
  )
}

function EditProperty({ person, name, onClose }: { person: Person; name: string; onClose: () => void }) {
  const project = useProject()
  const client = useQueryClient()
  const fresh = name === ''
  const kept = personQuery(project.id, person.uuid)
  const done = (text: string) => (changed: Person | null) => {
    if (changed?.uuid) client.setQueryData(kept.queryKey, changed)
    void client.invalidateQueries({ queryKey: ['person'] })
    void client.invalidateQueries({ queryKey: ['persons'] })
    say(text)
    onClose()
  }
  const save = useMutation({
    mutationFn: (properties: Properties) =>
      ask<Person>(inProject(project.id, `persons/${person.uuid}/`), { method: 'PATCH', body: { properties } }),
    onSuccess: done('Saved'),
  })
  const remove = useMutation({
    mutationFn: () =>
      ask<Person | null>(inProject(project.id, `persons/${person.uuid}/delete_property/`), { body: { $unset: name } }),
    onSuccess: () => done('Removed')(null),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const key = fresh ? String(form.get('name')).trim() : name
    if (key !== '') save.mutate({ [key]: readValue(String(form.get('value'))) })
  }
  const problem = save.error ?? remove.error
  return (
    <Dialog title={fresh ? 'Add a property' : name} onClose={onClose}>
      <form onSubmit={submit} className="property-form">
        {fresh && <TextField label="Name" name="name" required maxLength={400} autoFocus />}
        <TextField
          label="Value"
          name="value"
          defaultValue={fresh ? '' : valueText(person.properties?.[name])}
          hint="true, false, null, numbers and JSON are kept as such; anything else is text."
          error={problem ? problem.message : null}
          autoFocus={!fresh}
        />
        <DialogActions>
          {!fresh && (
            <Button kind="danger" onClick={() => remove.mutate()} busy={remove.isPending}>
              Remove
            </Button>
          )}
          <Button kind="primary" type="submit" busy={save.isPending}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

function readValue(text: string): Json {
  if (!/^(true|false|null|-?\d+(\.\d+)?([eE][+-]?\d+)?|[[{].*[\]}]|".*")$/s.test(text.trim())) return text
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}
