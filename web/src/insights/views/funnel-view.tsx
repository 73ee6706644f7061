import { useDoors } from '../../doors/use-doors.ts'
import { duration, number, percent, plural } from '../../lib/format.ts'
import { breakdownName, eventName } from '../../lib/names.ts'
import { colourIndexes, cssColour } from '../../lib/series-colours.ts'
import { EmptyState } from '../../ui/states.tsx'
import type { Draft } from '../draft.ts'
import { type Twin, TwinTable } from '../twin.tsx'
import { Correlation } from './correlation.tsx'
import { FunnelTrend, type Times, TimeToConvert, timesTwin, trendTwin } from './funnel-over-time.tsx'
import { Legend } from './legend.tsx'
import type { FunnelStep, TrendSeries, ViewProps } from './types.ts'
import './views.css'

type Results = FunnelStep[] | FunnelStep[][] | TrendSeries[] | Times

export function FunnelView(props: ViewProps<Results>) {
  const { draft, answer } = props
  if (draft.viz === 'trends' && Array.isArray(answer.results))
    return <FunnelTrend {...props} series={answer.results as TrendSeries[]} unfinished={draft.to === undefined} />
  if (draft.viz === 'time_to_convert' && !Array.isArray(answer.results))
    return <TimeToConvert {...props} times={answer.results} />
  const lists = groupsOf(answer.results)
  if (lists.length === 0 || lists[0]?.length === 0)
    return (
      <EmptyState icon="funnel" title="A funnel needs two steps">
        Add the events people pass on their way.
      </EmptyState>
    )
  return <Steps {...props} groups={lists} />
}

/** The numbers of whichever way the funnel is shown. */
export function funnelTwinOf(draft: Draft, results: Results): Twin {
  if (draft.viz === 'trends') return trendTwin(results as TrendSeries[])
  if (draft.viz === 'time_to_convert') return timesTwin(results as Times)
  return funnelTwin(groupsOf(results))
}

const groupsOf = (results: Results): FunnelStep[][] => {
  if (!Array.isArray(results) || results.length === 0) return []
  return Array.isArray(results[0]) ? (results as FunnelStep[][]) : [results as FunnelStep[]]
}

const stepName = (step: FunnelStep): string =>
  step.custom_name || eventName(step.action_id === null ? step.name : String(step.action_id))
const groupName = (steps: readonly FunnelStep[]): string =>
  steps[0]?.breakdown_value === undefined ? 'Everyone' : breakdownName(steps[0].breakdown_value)

function Steps({ node, groups, height, compact }: ViewProps<Results> & { groups: FunnelStep[][] }) {
  const doors = useDoors()
  const open = (title: string, funnelStep: number, breakdown: FunnelStep['breakdown_value']) =>
    doors.open({
      to: 'people',
      title,
      source: {
        kind: 'FunnelsActorsQuery',
        source: node,
        funnelStep,
        includeRecordings: true,
        ...(breakdown === undefined || breakdown === null ? {} : { funnelStepBreakdown: breakdown }),
      },
    })
  const totals = totalsOf(groups)
  const first = totals[0]?.count ?? 0
  const colours = colourIndexes(groups.map(groupName))
  const conversion = first > 0 ? (totals.at(-1)?.count ?? 0) / first : 0
  return (
    <div className="view">
      {!compact && (
        <p className="small soft">
          <span className="strong ink">{percent(conversion)}</span> of {plural(first, 'person', 'people')} came through
          {totals.at(-1)?.median_conversion_time
            ? `, half of them took less than ${duration(medianTotal(totals))}`
            : ''}
          .
        </p>
      )}
      <div className={`funnel ${compact ? 'funnel-compact' : ''}`} style={{ minHeight: compact ? height : 340 }}>
        {totals.map((step, index) => (
          <FunnelColumn
            key={`${step.order}/${step.name}`}
            step={step}
            before={totals[index - 1]}
            first={first}
            bars={groups.map((steps, group) => ({
              colour: cssColour(groups.length > 1 ? (colours[group] ?? 0) : 0),
              share: share(steps[index]?.count ?? 0, groups.length > 1 ? (steps[0]?.count ?? 0) : first),
              label: `${groupName(steps)}: ${number(steps[index]?.count ?? 0)} reached ${stepName(step)}`,
              open: () =>
                open(
                  `Reached ${stepName(step)}${groups.length > 1 ? `, ${groupName(steps)}` : ''}`,
                  index + 1,
                  steps[0]?.breakdown_value,
                ),
            }))}
            onDrop={() => open(`Dropped off before ${stepName(step)}`, -(index + 1), undefined)}
          />
        ))}
      </div>
      {groups.length > 1 && (
        <Legend items={groups.map((steps, index) => ({ name: groupName(steps), colour: colours[index] ?? 0 }))} />
      )}
      {!compact && (
        <TwinTable
          twin={funnelTwin(groups, (group, step) =>
            open(
              `Reached ${stepName((groups[group] as FunnelStep[])[step] as FunnelStep)}`,
              step + 1,
              groups[group]?.[0]?.breakdown_value,
            ),
          )}
        />
      )}
      {!compact && <Correlation node={node} />}
    </div>
  )
}

interface Bar {
  colour: string
  share: number
  label: string
  open: () => void
}

function FunnelColumn({
  step,
  before,
  first,
  bars: all,
  onDrop,
}: {
  step: FunnelStep
  before: FunnelStep | undefined
  first: number
  bars: Bar[]
  onDrop: () => void
}) {
  const dropped = before ? before.count - step.count : 0
  return (
    <>
      {before && (
        <div className="funnel-between">
          <span className="funnel-on">{percent(share(step.count, before.count))}</span>
          <span className="tiny soft">go on</span>
          {step.median_conversion_time ? (
            <span className="tiny soft" title="Half of them took less">
              in {duration(step.median_conversion_time)}
            </span>
          ) : null}
          <button type="button" className="funnel-drop" onClick={onDrop} disabled={dropped === 0}>
            {number(dropped)} drop off
          </button>
        </div>
      )}
      <div className="funnel-step">
        <div className="funnel-bars">
          {all.map((bar) => (
            <button
              key={bar.label}
              type="button"
              className="funnel-bar"
              aria-label={bar.label}
              title={bar.label}
              onClick={bar.open}
            >
              <span
                className="funnel-fill"
                style={{ ['--share' as string]: `${bar.share * 100}%`, background: bar.colour }}
              />
            </button>
          ))}
        </div>
        <div>
          <div className="funnel-name">
            <span className="faint">{step.order + 1}</span>
            <span className="funnel-label" title={stepName(step)}>
              {stepName(step)}
            </span>
          </div>
          <div className="row" style={{ alignItems: 'baseline' }}>
            <span className="funnel-count">{number(step.count)}</span>
            <span className="soft tiny">{percent(share(step.count, first))}</span>
          </div>
        </div>
      </div>
    </>
  )
}

const share = (part: number, whole: number): number => (whole > 0 ? part / whole : 0)

function totalsOf(groups: FunnelStep[][]): FunnelStep[] {
  if (groups.length === 1) return groups[0] as FunnelStep[]
  return (groups[0] ?? []).map((step, index) => ({
    ...step,
    count: groups.reduce((sum, steps) => sum + (steps[index]?.count ?? 0), 0),
    median_conversion_time: null,
    average_conversion_time: null,
  }))
}

const medianTotal = (steps: readonly FunnelStep[]): number =>
  steps.reduce((sum, step) => sum + (step.median_conversion_time ?? 0), 0)

function funnelTwin(groups: FunnelStep[][], open?: (group: number, step: number) => void): Twin {
  const steps = groups[0] ?? []
  return {
    label: 'The steps of the funnel',
    head: ['Who', ...steps.map((step, index) => `${index + 1} ${stepName(step)}`), 'Conversion', 'Median time'],
    rows: groups.map((group, index) => ({
      key: groupName(group),
      name: groupName(group),
      ...(groups.length > 1 ? { colour: colourIndexes(groups.map(groupName))[index] ?? 0 } : {}),
      cells: [
        ...group.map(({ count }) => count),
        percent(share(group.at(-1)?.count ?? 0, group[0]?.count ?? 0)),
        duration(medianTotal(group) || null),
      ],
      open: open ? (cell) => cell < steps.length && open(index, cell) : undefined,
    })),
  }
}
