import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Experiment, type FeatureFlag, sampleSizeFor } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { number } from '../../lib/format.ts'
import { Button, TextField } from '../../ui/controls.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { say, sayFailure } from '../../ui/toast.tsx'
import { EventPicker } from '../insights/index.ts'
import { ExperimentResults } from './experiment-results.tsx'
import { refreshFlags } from './flag-state.tsx'

/** The experiments on a flag: what its variants changed, and whether that can be believed yet. */
export function FlagExperiment({ flag }: { flag: FeatureFlag }) {
  const [making, setMaking] = useState(false)
  return (
    <div className="stack-l">
      {flag.experiment_set.length === 0 ? (
        <EmptyState
          icon="funnel"
          title="No experiment yet"
          action={
            <Button kind="primary" onClick={() => setMaking(true)}>
              Start an experiment
            </Button>
          }
        >
          Choose a goal, and compare how many people of each variant reach it.
        </EmptyState>
      ) : (
        flag.experiment_set.map((id) => <ExperimentResults key={id} id={id} />)
      )}
      {making && <NewExperiment flag={flag} onClose={() => setMaking(false)} />}
    </div>
  )
}

const goalOf = (event: string | null) => ({
  kind: 'ExperimentMetric',
  metric_type: 'funnel',
  series: [{ kind: 'EventsNode', event }],
})

/** A goal, and how many people are needed: asked before the start, because nobody asks later. */
function NewExperiment({ flag, onClose }: { flag: FeatureFlag; onClose: () => void }) {
  const project = useProject()
  const client = useQueryClient()
  const [goal, setGoal] = useState<string | null>(null)
  const [watched, setWatched] = useState<string | null>(null)
  const [rate, setRate] = useState('')
  const [effect, setEffect] = useState('10')
  const people = sampleSizeFor(Number(rate) / 100, Number(effect) / 100)
  const save = useMutation({
    mutationFn: (form: FormData) =>
      ask<Experiment>(inProject(project.id, 'experiments/'), {
        body: {
          name: String(form.get('name')),
          feature_flag_key: flag.key,
          start_date: new Date().toISOString(),
          metrics: [goalOf(goal)],
          metrics_secondary: watched === null ? [] : [goalOf(watched)],
          parameters: {
            baseline_conversion_rate: Number(form.get('rate')) / 100,
            minimum_detectable_effect: Number(form.get('effect')),
          },
        },
      }),
    onSuccess: async ({ parameters }) => {
      say(`Started: ${number(Number(parameters.recommended_sample_size))} people in each variant are enough`)
      await refreshFlags(client)
      onClose()
    },
    onError: sayFailure,
  })
  return (
    <FormDialog
      title="Start an experiment"
      save="Start"
      busy={save.isPending}
      onSubmit={(form) => (goal === null ? say('Choose the event that is the goal first') : save.mutate(form))}
      onClose={onClose}
    >
      <TextField label="Name" name="name" required defaultValue={flag.key} />
      <div className="stack" style={{ gap: 4 }}>
        <span className="field-label">Goal</span>
        <EventPicker
          value={goal}
          any={false}
          label="Goal"
          name={goal === null ? 'Choose an event' : undefined}
          onPick={setGoal}
        />
      </div>
      <div className="stack" style={{ gap: 4 }}>
        <span className="field-label">Also watch (optional)</span>
        <EventPicker
          value={watched}
          any={false}
          label="Also watch"
          name={watched === null ? 'Nothing else' : undefined}
          onPick={setWatched}
        />
      </div>
      <TextField
        label="Share that reaches it today, in %"
        name="rate"
        type="number"
        min={0.1}
        max={99}
        step="any"
        required
        value={rate}
        onChange={(event) => setRate(event.target.value)}
      />
      <TextField
        label="Smallest change worth noticing, in % of that"
        name="effect"
        type="number"
        min={1}
        max={1000}
        step="any"
        required
        value={effect}
        onChange={(event) => setEffect(event.target.value)}
      />
      <p className="soft small" aria-live="polite">
        {people === null
          ? 'Say both, and this says how many people it takes.'
          : `${number(people)} people in each variant: a change like that then shows four times in five, and a false one once in twenty.`}
      </p>
    </FormDialog>
  )
}
