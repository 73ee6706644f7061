import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Experiment, FeatureFlag, QueryAnswers } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { dayOnly, number, percent } from '../../lib/format.ts'
import { Badge, Button, TextField } from '../../ui/controls.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { Card } from '../../ui/page.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { say, sayFailure } from '../../ui/toast.tsx'
import { askQuery, EventPicker } from '../insights/index.ts'
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
        flag.experiment_set.map((id) => <Results key={id} id={id} />)
      )}
      {making && <NewExperiment flag={flag} onClose={() => setMaking(false)} />}
    </div>
  )
}

type Answer = QueryAnswers['ExperimentQuery']

function Results({ id }: { id: number }) {
  const project = useProject()
  const client = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey: ['experiment', project.id, id],
    queryFn: async ({ signal }) => {
      const experiment = await ask<Experiment>(inProject(project.id, `experiments/${id}/`), { signal })
      const [metric] = experiment.metrics as Parameters<typeof askQuery>[1][string][]
      if (experiment.start_date === null || metric === undefined) return { experiment, answer: null }
      const node = { kind: 'ExperimentQuery' as const, experiment_id: id, metric }
      return { experiment, answer: (await askQuery(project.id, node, signal)).answer }
    },
  })
  const end = useMutation({
    mutationFn: () =>
      ask(inProject(project.id, `experiments/${id}/`), {
        method: 'PATCH',
        body: { end_date: new Date().toISOString() },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['experiment'] }),
    onError: sayFailure,
  })
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (!data) return <SkeletonRows rows={4} />
  const { experiment, answer } = data
  const from = experiment.start_date
  const range = from === null ? 'Not started yet.' : `Since ${dayOnly(from, project.timezone)}.`
  return (
    <Card
      title={experiment.name}
      action={
        experiment.end_date === null ? (
          <Button small busy={end.isPending} onClick={() => end.mutate()}>
            End
          </Button>
        ) : (
          <Badge>ended</Badge>
        )
      }
    >
      <p className="soft small">
        {experiment.description} {range}
      </p>
      {answer && (
        <>
          {answer.warnings.map((warning) => (
            <p key={warning} className="small" role="note">
              {warning}
            </p>
          ))}
          <Table
            label={`Results of ${experiment.name}`}
            columns={columnsOf(answer)}
            rows={[
              { ...answer.baseline, result: null },
              ...answer.variant_results.map((each) => ({ ...each, result: each })),
            ]}
            rowKey={({ key }) => key}
          />
          <p className="soft small">
            Intervals are of the relative difference to {answer.baseline.key}: 95% credible, and 95% confidence beside
            the p value.
          </p>
        </>
      )}
    </Card>
  )
}

type Row = Answer['baseline'] & { result: Answer['variant_results'][number] | null }

const columnsOf = ({ metric_type }: Answer): Column<Row>[] => [
  { id: 'variant', header: 'Variant', cell: ({ key }) => <span className="strong">{key}</span> },
  { id: 'people', header: 'People', align: 'right', cell: (row) => number(row.number_of_samples) },
  {
    id: 'mean',
    header: metric_type === 'funnel' ? 'Converted' : 'Mean',
    align: 'right',
    cell: ({ mean }) => (metric_type === 'funnel' ? percent(mean) : number(mean)),
  },
  {
    id: 'chance',
    header: 'Chance to win',
    align: 'right',
    cell: ({ result }) =>
      result ? (
        <Badge tone={result.significant ? 'good' : 'neutral'}>{percent(result.chance_to_win)}</Badge>
      ) : (
        'baseline'
      ),
  },
  {
    id: 'credible',
    header: 'Difference',
    align: 'right',
    spare: true,
    cell: ({ result }) => span(result?.credible_interval),
  },
  {
    id: 'p',
    header: 'p value',
    align: 'right',
    spare: true,
    cell: ({ result }) =>
      result && result.p_value !== null
        ? `${result.p_value < 0.001 ? '< 0.001' : result.p_value.toFixed(3)} (${span(result.confidence_interval)})`
        : '',
  },
]

const signed = (share: number): string => `${share > 0 ? '+' : ''}${percent(share)}`
const span = (interval: readonly number[] | null | undefined): string =>
  interval ? `${signed(interval[0] ?? 0)} to ${signed(interval[1] ?? 0)}` : ''

/** A goal, and how many people are needed: asked before the start, because nobody asks later. */
function NewExperiment({ flag, onClose }: { flag: FeatureFlag; onClose: () => void }) {
  const project = useProject()
  const client = useQueryClient()
  const [goal, setGoal] = useState<string | null>(null)
  const save = useMutation({
    mutationFn: (form: FormData) =>
      ask<Experiment>(inProject(project.id, 'experiments/'), {
        body: {
          name: String(form.get('name')),
          feature_flag_key: flag.key,
          start_date: new Date().toISOString(),
          metrics: [{ kind: 'ExperimentMetric', metric_type: 'funnel', series: [{ kind: 'EventsNode', event: goal }] }],
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
      onSubmit={(form) => save.mutate(form)}
      onClose={onClose}
    >
      <TextField label="Name" name="name" required defaultValue={flag.key} />
      <div className="stack" style={{ gap: 4 }}>
        <span className="field-label">Goal</span>
        <EventPicker value={goal} any={false} onPick={setGoal} />
      </div>
      <TextField
        label="Share that reaches it today, in %"
        name="rate"
        type="number"
        min={0.1}
        max={99}
        step="any"
        required
      />
      <TextField
        label="Smallest change worth noticing, in % of that"
        name="effect"
        type="number"
        min={1}
        max={1000}
        step="any"
        required
        defaultValue={10}
      />
    </FormDialog>
  )
}
