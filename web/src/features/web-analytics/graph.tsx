import { useCallback } from 'react'
import type { WebTrendsItem } from '../../api/contract.ts'
import { duration, number, percent } from '../../lib/format.ts'
import { LAST_30_DAYS } from '../../lib/ranges.ts'
import { Chart } from '../../ui/chart.tsx'
import { lines } from '../../ui/chart-options.ts'
import { Button, Segmented } from '../../ui/controls.tsx'
import { dimmedWhile, EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx'
import { shortLabels } from '../insights/index.ts'
import { usePart } from './ask.ts'
import type { PropertyFilter } from './dimensions.ts'
import { intervalsOf } from './intervals.ts'
import { trendsNode } from './nodes.ts'
import { BOUNCED, peopleSource } from './people.ts'
import type { Metric } from './search.ts'
import { useWebSource } from './source.tsx'

const NAMES: Readonly<Record<Metric, string>> = {
  visitors: 'Visitors',
  views: 'Views',
  sessions: 'Sessions',
  duration: 'Duration of sessions',
  bounce: 'Bounce rate',
}

const measured = ({ metrics }: WebTrendsItem, metric: Metric): number | null => {
  const { UniqueUsers = 0, PageViews = 0, Sessions = 0, SessionDuration = 0, Bounces = 0 } = metrics
  switch (metric) {
    case 'visitors':
      return UniqueUsers
    case 'views':
      return PageViews
    case 'sessions':
      return Sessions
    case 'duration':
      return Math.round(SessionDuration)
    case 'bounce':
      return Sessions === 0 ? 0 : Bounces / Sessions
  }
}

const FORMAT: Readonly<Record<Metric, ((value: number) => string) | undefined>> = {
  visitors: undefined,
  views: undefined,
  sessions: undefined,
  duration,
  bounce: (value) => percent(value),
}

const HEIGHT = 260

/** The sessions that a metric is about, besides the filters of the page. */
const about = (metric: Metric): PropertyFilter[] => (metric === 'bounce' ? [BOUNCED] : [])

/** One metric over time, with the period before behind it. A point of either leads to the people of that day. */
export function Graph() {
  const { state, change, open } = useWebSource()
  const { metric = 'visitors', from = LAST_30_DAYS, to } = state
  const choices = intervalsOf(from, to)
  const interval = state.interval && choices.includes(state.interval) ? state.interval : (choices[0] ?? 'day')
  const { data, error, isPlaceholderData, refetch } = usePart(trendsNode(state, interval), { lane: 'figures' })
  const option = useCallback(() => {
    const [now, before] = [data?.results ?? [], data?.previous ?? null]
    const format = FORMAT[metric]
    return lines({
      labels: shortLabels(now.map(({ bucket }) => bucket)),
      series: [
        { name: NAMES[metric], data: now.map((item) => measured(item, metric)), colour: '--s1' },
        ...(before
          ? [
              {
                name: 'Previous period',
                data: now.map((_, at) => (before[at] ? measured(before[at], metric) : null)),
                colour: '--s1',
                faded: true,
                labels: shortLabels(before.map(({ bucket }) => bucket)),
              },
            ]
          : []),
      ],
      unfinished: to === undefined,
      ...(format ? { format, exact: format } : {}),
      ...(metric === 'bounce' ? { max: 1 } : {}),
      ...(open ? { hint: 'Click to see the people' } : {}),
    })
  }, [data, metric, to, open])
  const people = (tab: 'people' | 'recordings', day?: string, before = false) =>
    open?.({
      to: 'people',
      title: [NAMES[metric], day ? shortLabels([day])[0] : null].filter(Boolean).join(', '),
      source: peopleSource(state, { also: about(metric), ...(day ? { day, interval } : {}), before }),
      tab,
    })
  return (
    <section className="card web-graph" aria-label={`${NAMES[metric]} over time`}>
      <header className="card-head web-graph-head">
        <h2>{NAMES[metric]}</h2>
        <span className="row-wrap">
          {choices.length > 1 && (
            <Segmented
              label="Interval"
              value={interval}
              options={choices.map((value) => ({ value, label: INTERVAL_NAMES[value] }))}
              onChange={(next) => change({ interval: next })}
            />
          )}
          {open && (
            <>
              <Button small kind="quiet" icon="persons" onClick={() => people('people')}>
                People
              </Button>
              <Button small kind="quiet" icon="recordings" onClick={() => people('recordings')}>
                Recordings
              </Button>
            </>
          )}
        </span>
      </header>
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : !data ? (
        <Skeleton height={HEIGHT} radius={8} />
      ) : data.results.every((item) => !measured(item, 'sessions')) ? (
        <div className="web-graph-empty" style={{ height: HEIGHT }}>
          <EmptyState icon="trends" title="No visits">
            Nobody came in this period, or nobody fits the filters.
          </EmptyState>
        </div>
      ) : (
        <div {...dimmedWhile(isPlaceholderData)}>
          <Chart
            label={`${NAMES[metric]}: ${number(data.results.length)} ${interval}s`}
            height={HEIGHT}
            option={option}
            onPick={({ seriesIndex, dataIndex }) => {
              const before = seriesIndex === 1 ? data.previous : null
              const day = (before ?? data.results)[dataIndex]?.bucket
              if (day) people('people', day, before !== null)
            }}
          />
        </div>
      )}
    </section>
  )
}

const INTERVAL_NAMES = { hour: 'Hours', day: 'Days', week: 'Weeks', month: 'Months' } as const
