import { useCallback, useMemo } from 'react'
import type { FunnelStep, FunnelsResult, FunnelTimes, FunnelTrend } from '../../../api/contract.ts'
import { duration, number, percent, plural } from '../../../lib/format.ts'
import { partName } from '../../../lib/names.ts'
import { cssColour } from '../../../lib/series-colours.ts'
import { useWidth } from '../../../lib/use-width.ts'
import { rows } from '../../../ui/chart-options.ts'
import { usePicture } from '../../../ui/picture.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { usePanels } from '../../panels/index.ts'
import type { Node } from '../answer.ts'
import { DataTable, type TableData } from '../data-table.tsx'
import { useRoom } from '../room.tsx'
import { Correlation } from './correlation.tsx'
import { FunnelColumn, share, stepName } from './funnel-columns.tsx'
import { FunnelList } from './funnel-list.tsx'
import { FunnelOverTime, TimeToConvert, timesTable, trendTable } from './funnel-over-time.tsx'
import { FunnelRows, fitsColumns } from './funnel-rows.tsx'
import { Legend } from './legend.tsx'
import { before, isBefore, pairedColours } from './series-names.ts'
import type { ViewProps } from './types.ts'
import './views.css'

export function FunnelView(props: ViewProps<'FunnelsQuery'>) {
  const { draft, answer } = props
  const shape = useMemo(() => shapeOf(answer.results), [answer.results])
  if (shape.as === 'trends')
    return <FunnelOverTime {...props} series={shape.series} unfinished={draft.to === undefined} />
  if (shape.as === 'times') return <TimeToConvert {...props} periods={shape.periods} />
  if (shape.groups.length === 0 || shape.groups[0]?.length === 0)
    return (
      <EmptyState icon="funnel" title="A funnel needs two steps">
        Add the events that people go through.
      </EmptyState>
    )
  return <Steps {...props} groups={shape.groups} />
}

/** The numbers of whichever way the funnel is shown. */
export function funnelTableOf(results: FunnelsResult): TableData {
  const shape = shapeOf(results)
  if (shape.as === 'trends') return trendTable(shape.series)
  if (shape.as === 'times') return timesTable(shape.periods)
  return funnelTable(shape.groups)
}

type Group = readonly FunnelStep[]
type Shape =
  | { as: 'steps'; groups: readonly Group[] }
  | { as: 'trends'; series: readonly FunnelTrend[] }
  | { as: 'times'; periods: readonly FunnelTimes[] }

/** Which of the three answers of a funnel this is: steps, conversion over time, or time to convert. */
function shapeOf(results: FunnelsResult): Shape {
  if ('bins' in results) return { as: 'times', periods: [results] }
  const all: readonly (FunnelStep | Group | FunnelTrend | FunnelTimes)[] = results
  const times = all.filter((one): one is FunnelTimes => 'bins' in one)
  if (times.length > 0) return { as: 'times', periods: times }
  const series = all.filter((one): one is FunnelTrend => 'days' in one)
  if (series.length > 0) return { as: 'trends', series }
  return {
    as: 'steps',
    groups: groupsOf(
      all.filter(isGroup),
      all.filter((one): one is FunnelStep => 'order' in one),
    ),
  }
}

const isGroup = (one: object): one is Group => Array.isArray(one)

/** One list of steps for each value of a breakdown, those of the previous period after all others. */
function groupsOf(groups: readonly Group[], steps: Group): readonly Group[] {
  if (groups.length > 0) return groups
  return [steps.filter((step) => !isBefore(step)), steps.filter(isBefore)].filter(({ length }) => length > 0)
}

const currentName = (steps: Group): string =>
  steps[0]?.breakdown_value === undefined ? 'Everyone' : partName(steps[0])
const isEarlier = ([first]: Group): boolean => first !== undefined && isBefore(first)
const groupName = (steps: Group): string => (isEarlier(steps) ? before(currentName(steps)) : currentName(steps))

function Steps({ node, groups, compact }: ViewProps<'FunnelsQuery'> & { groups: readonly Group[] }) {
  const panels = usePanels()
  const open = (title: string, funnelStep: number, of: Group | undefined) =>
    panels.open({
      to: 'people',
      title,
      source: {
        kind: 'FunnelsActorsQuery',
        source: node,
        funnelStep,
        includeRecordings: true,
        ...(of?.[0]?.breakdown_value ? { funnelStepBreakdown: of[0].breakdown_value } : {}),
        ...(of?.[0]?.compare_label ? { compare: of[0].compare_label } : {}),
      },
    })
  const current = groups.filter((steps) => !isEarlier(steps))
  const earlier = groups.filter(isEarlier)
  const totals = totalsOf(current)
  const totalsBefore = totalsOf(earlier)
  const first = totals[0]?.count ?? 0
  const colours = coloursOf(groups)
  const several = current.length > 1
  const barOf = (steps: Group, index: number) => {
    const reached = stepName(totals[index] as FunnelStep)
    const whose = several ? `, ${groupName(steps)}` : isEarlier(steps) ? ', previous period' : ''
    return {
      colour: cssColour(several ? (colours[groups.indexOf(steps)] ?? 0) : 0),
      faded: isEarlier(steps),
      share: share(steps[index]?.count ?? 0, steps[0]?.count ?? 0),
      label: `${groupName(steps)}: ${number(steps[index]?.count ?? 0)} reached ${reached}`,
      open: () => open(`Reached ${reached}${whose}`, index + 1, steps),
    }
  }
  const drawn = totals.map((step, index) => ({
    step,
    from: totals[index - 1],
    first,
    earlier: totalsBefore[index],
    earlierFrom: totalsBefore[index - 1],
    bars: current
      .flatMap((steps, group) => [steps, ...earlier.slice(group, group + 1)])
      .map((steps) => barOf(steps, index)),
    onDrop: () => open(`Dropped off before ${stepName(step)}`, -(index + 1), undefined),
  }))
  const [box, width] = useWidth()
  const fits = width === null || totals.length * (STEP_WIDTH + BETWEEN_WIDTH) - BETWEEN_WIDTH <= width
  usePicture(useCallback(() => funnelPicture(groups), [groups]))
  const room = useRoom()
  if (room && !fitsColumns(totals.length, room))
    return (
      <FunnelRows
        steps={totals.map((step, index) => ({
          name: stepName(step),
          count: step.count,
          share: share(step.count, first),
          open: () => open(`Reached ${stepName(step)}`, index + 1, undefined),
        }))}
        room={room}
      />
    )
  return (
    <div className="view">
      {!compact && <Outcome totals={totals} earlier={totalsBefore} />}
      <div ref={box} className="funnel-place">
        {fits ? (
          <div className={`funnel ${compact ? 'funnel-compact' : ''}`} style={{ minHeight: compact ? 0 : 340 }}>
            {drawn.map((one) => (
              <FunnelColumn key={`${one.step.order}/${one.step.name}`} {...one} />
            ))}
          </div>
        ) : (
          <FunnelList steps={drawn} />
        )}
      </div>
      {groups.length > 1 && (
        <Legend
          items={groups.map((steps, index) => ({
            name: groupName(steps),
            colour: several ? (colours[index] ?? 0) : 0,
            faded: isEarlier(steps),
          }))}
        />
      )}
      {!compact && (
        <DataTable
          data={funnelTable(groups, (group, step) => {
            const steps = groups[group] as Group
            open(`Reached ${stepName(steps[step] as FunnelStep)}`, step + 1, steps)
          })}
        />
      )}
      {!compact && <Correlation node={withoutComparison(node)} />}
    </div>
  )
}

/** What a step and what stands between two need, side by side; with less room they stand one below the other. */
const STEP_WIDTH = 84
const BETWEEN_WIDTH = 96

function funnelPicture(groups: readonly Group[]) {
  const colours = coloursOf(groups)
  const several = groups.filter((group) => !isEarlier(group)).length > 1
  return rows(
    (groups[0] ?? []).map((step, index) => `${index + 1} ${stepName(step)}`),
    groups.map((steps, index) => ({
      name: groupName(steps),
      colour: `--s${(several ? (colours[index] ?? 0) : 0) + 1}`,
      faded: isEarlier(steps),
      bars: steps.map(({ count }) => ({
        value: count,
        text: `${number(count)}, ${percent(share(count, steps[0]?.count ?? 0))}`,
      })),
    })),
  )
}

const coloursOf = (groups: readonly Group[]): number[] =>
  pairedColours(
    groups.map((steps) => ({ steps, ...(isEarlier(steps) ? { compare_label: 'previous' as const } : {}) })),
    (current) => current.map(({ steps }) => currentName(steps)),
  )

/** Correlations are asked for the current period only. */
function withoutComparison({ compareFilter: _, ...node }: Node<'FunnelsQuery'>): Node<'FunnelsQuery'> {
  return node
}

/** The conversion in words, compared with the previous period. */
function Outcome({ totals, earlier }: { totals: Group; earlier: Group }) {
  const [first, conversion] = throughOf(totals)
  const [firstBefore, conversionBefore] = throughOf(earlier)
  const points = (conversion - conversionBefore) * 100
  return (
    <p className="small soft">
      <span className="strong ink">{percent(conversion)}</span> of {plural(first, 'person', 'people')} converted
      {totals.at(-1)?.total_median_conversion_time
        ? `, half of them in less than ${duration(totals.at(-1)?.total_median_conversion_time)}`
        : ''}
      .
      {earlier.length > 0 && (
        <>
          {' '}
          In the previous period it was <span className="strong ink">{percent(conversionBefore)}</span> of{' '}
          {plural(firstBefore, 'person', 'people')}:{' '}
          {Math.abs(points) < 0.05 ? (
            'no change.'
          ) : (
            <>
              now{' '}
              <span className={points < 0 ? 'fewer' : 'more'}>{number(Math.round(Math.abs(points) * 10) / 10)}</span>{' '}
              percentage points {points < 0 ? 'lower' : 'higher'}.
            </>
          )}
        </>
      )}
    </p>
  )
}

const throughOf = (steps: Group): [first: number, share: number] => {
  const first = steps[0]?.count ?? 0
  return [first, share(steps.at(-1)?.count ?? 0, first)]
}

function totalsOf(groups: readonly Group[]): Group {
  if (groups.length < 2) return groups[0] ?? []
  return (groups[0] ?? []).map((step, index) => ({
    ...step,
    count: groups.reduce((sum, steps) => sum + (steps[index]?.count ?? 0), 0),
    median_conversion_time: null,
    total_median_conversion_time: null,
    average_conversion_time: null,
  }))
}

function funnelTable(groups: readonly Group[], open?: (group: number, step: number) => void): TableData {
  const steps = groups[0] ?? []
  const colours = coloursOf(groups)
  const several = groups.filter((group) => !isEarlier(group)).length > 1
  return {
    label: 'Funnel steps',
    head: ['Who', ...steps.map((step, index) => `${index + 1} ${stepName(step)}`), 'Conversion', 'Median total time'],
    rows: groups.map((group, index) => ({
      key: groupName(group),
      name: groupName(group),
      ...(groups.length > 1 ? { colour: several ? (colours[index] ?? 0) : 0, faded: isEarlier(group) } : {}),
      cells: [
        ...group.map(({ count }) => count),
        percent(share(group.at(-1)?.count ?? 0, group[0]?.count ?? 0)),
        duration(group.at(-1)?.total_median_conversion_time),
      ],
      open: open ? (cell) => cell < steps.length && open(index, cell) : undefined,
    })),
  }
}
