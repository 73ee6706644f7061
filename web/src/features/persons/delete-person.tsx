import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Deletion, Person } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { dateTime } from '../../lib/format.ts'
import { personName } from '../../lib/names.ts'
import { Button } from '../../ui/controls.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { describe } from '../../ui/states.tsx'

/** Says what is deleted and what is kept; afterwards shows a receipt. */
export function DeletePerson({ person, onClose }: { person: Person; onClose: () => void }) {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const client = useQueryClient()
  const [withEvents, setWithEvents] = useState(false)
  const name = personName(person)
  const deletion = useMutation({
    mutationFn: async () => {
      await ask(inProject(project.id, `persons/${person.uuid}/`), {
        method: 'DELETE',
        query: withEvents ? { delete_events: true } : {},
      })
      if (!withEvents) return null
      const { results } = await ask<{ results: Deletion[] }>(inProject(project.id, 'deletions/')).catch(() => ({
        results: [],
      }))
      return results.find(({ person_uuid }) => person_uuid === person.uuid) ?? null
    },
  })
  const leave = () => {
    onClose()
    if (!deletion.isSuccess) return
    void client.invalidateQueries({ queryKey: ['persons'] })
    void navigate({ to: '/project/$projectId/persons', params })
  }

  if (deletion.isSuccess)
    return (
      <Dialog title="Deleted" onClose={leave}>
        <dl className="receipt">
          <dt>Person</dt>
          <dd>
            {name}
            <br />
            <span className="mono tiny">{person.uuid}</span>
          </dd>
          <dt>Profile</dt>
          <dd>deleted {dateTime(new Date(), project.timezone)}</dd>
          <dt>Events</dt>
          <dd>
            {withEvents
              ? `to be deleted ${deletion.data?.scheduled_for ? dateTime(deletion.data.scheduled_for, project.timezone) : 'on Sunday at 05:00 UTC'}`
              : 'kept, without a person'}
          </dd>
          {deletion.data && (
            <>
              <dt>Receipt</dt>
              <dd>{deletion.data.id}, see Settings, Deletions</dd>
            </>
          )}
        </dl>
        <DialogActions>
          <Button kind="primary" onClick={leave}>
            Done
          </Button>
        </DialogActions>
      </Dialog>
    )

  return (
    <Dialog title={`Delete ${name}?`} onClose={onClose}>
      <p className="small">
        The profile with its properties and distinct ids is deleted at once. This cannot be undone.
      </p>
      <fieldset className="stack" style={{ border: 0, padding: 0, margin: 0 }}>
        <legend className="unseen">Events</legend>
        <label className="choice-card">
          <input type="radio" name="events" checked={!withEvents} onChange={() => setWithEvents(false)} />
          <span>
            <span className="strong small">Keep the events</span>
            <br />
            <span className="soft small">They still count in insights, but no longer belong to a person.</span>
          </span>
        </label>
        <label className="choice-card">
          <input type="radio" name="events" checked={withEvents} onChange={() => setWithEvents(true)} />
          <span>
            <span className="strong small">Delete the events and recordings too</span>
            <br />
            <span className="soft small">
              They are deleted in the weekly run, on Sunday at 05:00 UTC. You get a receipt, which then shows how many
              were deleted.
            </span>
          </span>
        </label>
      </fieldset>
      {deletion.error && (
        <p role="alert" className="field-error">
          {describe(deletion.error).text}
        </p>
      )}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="danger" icon="trash" busy={deletion.isPending} onClick={() => deletion.mutate()}>
          Delete
        </Button>
      </DialogActions>
    </Dialog>
  )
}
