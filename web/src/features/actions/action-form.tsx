import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Action } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { keyed } from '../../lib/keyed.ts'
import { Button, IconButton, Select, TextField } from '../../ui/controls.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { sayFailure } from '../../ui/toast.tsx'
import { EventPicker, FilterList, whyUnfinished } from '../insights/index.ts'
import { type ActionStep, readSteps } from './steps.ts'

const URL_WAYS = [
  { value: 'contains', label: 'contains' },
  { value: 'exact', label: 'is exactly' },
  { value: 'regex', label: 'matches regex' },
] as const

/** Makes an action, or changes one. */
export function ActionForm({
  action,
  onDone,
  onClose,
}: {
  action?: Action
  onDone: (action: Action) => void
  onClose: () => void
}) {
  const project = useProject()
  const client = useQueryClient()
  const [name, setName] = useState(action?.name ?? '')
  const [steps, setSteps] = useState<ActionStep[]>(() => (action ? readSteps(action.steps) : [{ event: '$pageview' }]))
  const replace = (index: number, next: ActionStep) => setSteps(steps.map((other, i) => (i === index ? next : other)))
  const save = useMutation({
    mutationFn: () =>
      ask<Action>(inProject(project.id, action ? `actions/${action.id}/` : 'actions/'), {
        method: action ? 'PATCH' : 'POST',
        body: {
          name: name.trim() || 'Untitled',
          steps: steps.map((step) => ({ ...step, properties: step.properties ?? [] })),
        },
      }),
    onSuccess: async (saved) => {
      await Promise.all([
        client.invalidateQueries({ queryKey: ['actions'] }),
        client.invalidateQueries({ queryKey: ['action'] }),
        client.invalidateQueries({ queryKey: ['action-events'] }),
      ])
      onDone(saved)
    },
    onError: sayFailure,
  })
  return (
    <FormDialog
      title={action ? 'Edit action' : 'New action'}
      width={600}
      problem={whyUnfinished(steps.flatMap(({ properties }) => properties ?? []))}
      busy={save.isPending}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={(event) => setName(event.target.value)} required />
      <p className="field-label">Events that match any of these</p>
      {keyed(steps).map(({ key, item, index }) => (
        <StepEditor
          key={key}
          step={item}
          number={index + 1}
          onChange={(next) => replace(index, next)}
          onRemove={() => setSteps(steps.filter((_, i) => i !== index))}
        />
      ))}
      <div>
        <Button small kind="quiet" icon="plus" onClick={() => setSteps([...steps, { event: '$pageview' }])}>
          Add another
        </Button>
      </div>
    </FormDialog>
  )
}

function StepEditor({
  step,
  number,
  onChange,
  onRemove,
}: {
  step: ActionStep
  number: number
  onChange: (step: ActionStep) => void
  onRemove: () => void
}) {
  const field = (key: 'url' | 'text' | 'selector', label: string, placeholder: string) => (
    <input
      className="input grow"
      aria-label={`${label} of ${number}`}
      placeholder={placeholder}
      value={step[key] ?? ''}
      onChange={(event) => onChange({ ...step, [key]: event.target.value || null })}
    />
  )
  return (
    <fieldset className="stack" style={{ gap: 8, border: 0, padding: 0, margin: 0 }}>
      <legend className="unseen">Condition {number}</legend>
      <div className="row">
        <EventPicker value={step.event ?? null} onPick={(event) => onChange({ ...step, event })} />
        <span className="grow" />
        <IconButton small label={`Remove ${number}`} icon="close" onClick={onRemove} />
      </div>
      <div className="row">
        <Select
          label={`URL matching of ${number}`}
          value={step.url_matching ?? 'contains'}
          options={URL_WAYS}
          onChange={(event) =>
            onChange({ ...step, url_matching: URL_WAYS.find(({ value }) => value === event.target.value)?.value })
          }
        />
        {field('url', 'URL', 'Any URL')}
      </div>
      {step.event === '$autocapture' && (
        <div className="row">
          {field('text', 'Text', 'Text of the clicked element')}
          {field('selector', 'Selector', 'CSS selector')}
        </div>
      )}
      <FilterList
        filters={step.properties ?? []}
        types={['event', 'person']}
        event={step.event}
        onChange={(properties) => onChange({ ...step, properties })}
      />
    </fieldset>
  )
}
