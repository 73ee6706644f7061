import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { Experiment, QueryAnswers } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { dayOnly, number, percent } from '../../lib/format.ts'
import { Chart } from '../../ui/chart.tsx'
import { lines } from '../../ui/chart-options.ts'
import { Badge, Button } from '../../ui/controls.tsx'
import { Card } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { sayFailure } from '../../ui/toast.tsx'
import { askQuery } from '../insights/index.ts'
import { ExperimentState } from './experiment-state.tsx'

type Answer = QueryAnswers['ExperimentQuery']
type Metric = Parameters<typeof askQuery>[1][string]

/** One experiment: its goals by variant, who met it, and what to know before believing it. */
export function ExperimentResults({ id }: { id: number }) {
  const project = useProject()
  const client = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey: ['experiment', project.id, id],
    queryFn: ({ signal }) => ask<Experiment>(inProject(project.id, `experiments/${id}/`), { signal }),
  })
  const change = useMutation({
    mutationFn: (body: object) => ask(inProject(project.id, `experiments/${id}/`), { method: 'PATCH', body }),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['experiment'] }),
        client.invalidateQueries({ queryKey: ['experiments'] }),
      ]),
    onError: sayFailure,
  })
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (!data) return <SkeletonRows rows={4} />
  const { start_date: from, end_date: to } = data
  const now = () => new Date().toISOString()
  const range =
    from === null
      ? 'Not started yet.'
      : `${dayOnly(from, project.timezone)} to ${to === null ? 'today' : dayOnly(to, project.timezone)}.`
  return (
    <Card
      title={data.name}
      action={
        from === null ? (
          <Button small busy={change.isPending} onClick={() => change.mutate({ start_date: now() })}>
            Start
          </Button>
        ) : to === null ? (
          <Button small busy={change.isPending} onClick={() => change.mutate({ end_date: now() })}>
            End
          </Button>
        ) : undefined
      }
    >
      <div className="stack-l">
        <p className="soft small row-wrap">
          <ExperimentState experiment={data} />
          <span>
            {data.description} {range}
          </span>
        </p>
        {from !== null && (
          <>
            {metricsOf(data.metrics).map((metric, at) => (
              <Goal key={goalName(metric)} id={id} metric={metric} isFirst={at === 0} />
            ))}
            {metricsOf(data.metrics_secondary).map((metric) => (
              <Goal key={goalName(metric)} id={id} metric={metric} isFirst={false} />
            ))}
            <Exposures id={id} wanted={Number(data.parameters.recommended_sample_size) || null} />
          </>
        )}
      </div>
    </Card>
  )
}

const metricsOf = (given: unknown): Metric[] => (Array.isArray(given) ? given : [])

/** What a goal is called: its name, or its events. */
function goalName(metric: Metric): string {
  const { name, series, source } = metric as {
    name?: string
    series?: { event?: string | null; name?: string }[]
    source?: { event?: string | null }
  }
  if (name) return name
  const events = (series ?? (source ? [source] : [])).map(({ event }) => event ?? 'all events')
  return events.length > 0 ? events.join(' → ') : 'Goal'
}

function Goal({ id, metric, isFirst }: { id: number; metric: Metric; isFirst: boolean }) {
  const project = useProject()
  const { data, error, refetch } = useQuery({
    queryKey: ['experiment', project.id, id, 'goal', metric],
    queryFn: async ({ signal }) =>
      (await askQuery(project.id, { kind: 'ExperimentQuery' as const, experiment_id: id, metric }, signal)).answer,
  })
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (!data) return <SkeletonRows rows={3} />
  return (
    <section className="stack" aria-label={`Goal ${goalName(metric)}`}>
      <h3 className="row-wrap small strong">
        {goalName(metric)} <Badge tone={isFirst ? 'accent' : 'neutral'}>{isFirst ? 'goal' : 'also watched'}</Badge>
      </h3>
      {isFirst &&
        data.warnings.map((warning) => (
          <p key={warning} className="small experiment-warning" role="note">
            {warning}
          </p>
        ))}
      <Table
        label={`Results for ${goalName(metric)}`}
        columns={columnsOf(data)}
        rows={[{ ...data.baseline, result: null }, ...data.variant_results.map((each) => ({ ...each, result: each }))]}
        rowKey={({ key }) => key}
      />
      {isFirst && (
        <p className="soft small">
          Intervals are of the relative difference to {data.baseline.key}: 95% credible, and 95% confidence beside the p
          value.
        </p>
      )}
    </section>
  )
}

/** People who met each variant, added up by day. */
function Exposures({ id, wanted }: { id: number; wanted: number | null }) {
  const project = useProject()
  const { data } = useQuery({
    queryKey: ['experiment', project.id, id, 'exposures'],
    queryFn: async ({ signal }) =>
      (await askQuery(project.id, { kind: 'ExperimentExposureQuery' as const, experiment_id: id }, signal)).answer,
  })
  const series = data?.timeseries
  const option = useCallback(
    () =>
      lines({
        labels: series?.[0]?.days ?? [],
        series: (series ?? []).map(({ variant, exposure_counts }, at) => ({
          name: nameOf(variant),
          data: exposure_counts,
          colour: `--s${at + 1}`,
        })),
      }),
    [series],
  )
  if (!series || !data) return <SkeletonRows rows={3} />
  if (series.every(({ days }) => days.length === 0)) return <p className="soft small">Nobody has met the flag yet.</p>
  const counts = series
    .filter(({ variant }) => variant !== '$multiple')
    .map(({ variant }) => data.total_exposures[variant] ?? 0)
  const fewest = Math.min(...counts)
  return (
    <section className="stack" aria-label="Exposures">
      <h3 className="small strong">People who met it</h3>
      <Chart label="People who met each variant, day by day" height={180} option={option} />
      <p className="soft small">
        {series.map(({ variant }) => `${nameOf(variant)}: ${number(data.total_exposures[variant] ?? 0)}`).join(' · ')}
        {wanted !== null && ` · the smallest variant has ${number(fewest)} of ${number(wanted)} people it needs`}
      </p>
    </section>
  )
}

const nameOf = (variant: string): string => (variant === '$multiple' ? 'several variants (left out)' : variant)

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
