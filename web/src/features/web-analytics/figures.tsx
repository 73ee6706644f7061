import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { WebAnswers } from '../../api/contract.ts'
import { duration, number, percent } from '../../lib/format.ts'
import { LAST_30_DAYS, previousRange } from '../../lib/ranges.ts'
import { dimmedWhile, ErrorState, Skeleton } from '../../ui/states.tsx'
import { usePart } from './ask.ts'
import { liveNode, overviewNode } from './nodes.ts'
import { peopleSource } from './people.ts'
import type { Metric } from './search.ts'
import { useWebSource } from './source.tsx'
import '../../ui/dot.css'

type Item = WebAnswers['WebOverviewQuery']['results'][number]

const NAMES: Readonly<Record<Item['key'], string>> = {
  visitors: 'Visitors',
  views: 'Views',
  sessions: 'Sessions',
  'session duration': 'Duration',
  'bounce rate': 'Bounce rate',
  'total conversions': 'Conversions',
  'unique conversions': 'Converted',
  'conversion rate': 'Conversion rate',
}

/** What the graph can show of each. */
const METRIC: Readonly<Partial<Record<Item['key'], Metric>>> = {
  visitors: 'visitors',
  views: 'views',
  sessions: 'sessions',
  'session duration': 'duration',
  'bounce rate': 'bounce',
}
const WITHOUT_GOAL: readonly Item['key'][] = ['visitors', 'views', 'sessions', 'session duration', 'bounce rate']
const WITH_GOAL: readonly Item['key'][] = ['visitors', 'total conversions', 'unique conversions', 'conversion rate']

const written = ({ kind, value }: Item): string =>
  value === null
    ? '–'
    : kind === 'duration_s'
      ? duration(value)
      : kind === 'percentage'
        ? percent(value / 100)
        : number(value)

/** The numbers of the period; each that the graph can show is a button that chooses it. */
export function Figures() {
  const { state, change, open } = useWebSource()
  const { goal } = state
  const { data, error, isPlaceholderData, refetch } = usePart(overviewNode(state), { lane: 'figures' })
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  const { metric = 'visitors' } = state
  const keys = data ? data.results.map(({ key }) => key) : state.goal ? WITH_GOAL : WITHOUT_GOAL
  return (
    <ul {...dimmedWhile(isPlaceholderData, 'web-figures')} aria-label="Figures">
      {keys.map((key) => {
        const item = data?.results.find((each) => each.key === key)
        const shown = METRIC[key]
        const face = <Face name={NAMES[key]} item={item} />
        return (
          <li key={key}>
            {shown ? (
              <button
                type="button"
                className="web-figure"
                aria-pressed={shown === metric}
                onClick={() => change({ metric: shown === 'visitors' ? undefined : shown })}
              >
                {face}
              </button>
            ) : open && goal && item?.value ? (
              <button
                type="button"
                className="web-figure"
                title="See the people"
                onClick={() => open({ to: 'people', title: NAMES[key], source: peopleSource(state, { goal }) })}
              >
                {face}
              </button>
            ) : (
              <div className="web-figure">{face}</div>
            )}
          </li>
        )
      })}
      <li>
        <Live />
      </li>
    </ul>
  )
}

function Face({ name, item }: { name: string; item: Item | undefined }) {
  return (
    <>
      <span className="small soft">{name}</span>
      <span className="web-figure-value" data-figure={name}>
        {item ? written(item) : <Skeleton width={84} height={26} />}
      </span>
      <span className="web-figure-change tiny soft">
        {item ? <Difference item={item} /> : <Skeleton width={110} height={12} />}
      </span>
    </>
  )
}

/** "+12.4% from 1,204", green where it is good news. */
function Difference({ item }: { item: Item }) {
  const { state } = useWebSource()
  const { value, previous, isIncreaseBad } = item
  if (state.compare === false || state.from === 'all') return null
  if (value === null || previous === null || previous === 0) return <>nothing before</>
  const words = previousRange({ from: state.from ?? LAST_30_DAYS, to: state.to })
  const was = written({ ...item, value: previous })
  const rise = value / previous - 1
  if (Math.abs(rise) < 0.0005) return <span title={`${was} in the ${words}`}>as before</span>
  const good = rise > 0 !== (isIncreaseBad === true)
  return (
    <span title={`${was} in the ${words}`}>
      <span className={good ? 'web-good' : 'web-bad'}>
        {rise < 0 ? '−' : '+'}
        {percent(Math.abs(rise))}
      </span>{' '}
      from {was}
    </span>
  )
}

const LIVE_EVERY_MS = 20_000

/** Who is there now, counted anew while the page is open. */
function Live() {
  const { state, open, projectId } = useWebSource()
  const { data } = usePart(liveNode(state), { lane: 'figures', every: LIVE_EVERY_MS })
  const face: ReactNode = (
    <>
      <span className="small soft row">
        <span className="dot dot-open" />
        Live now
      </span>
      <span className="web-figure-value" data-figure="Live now">
        {data ? number(data.live_visitors) : <Skeleton width={40} height={26} />}
      </span>
      <span className="web-figure-change tiny soft">in the last 5 minutes</span>
    </>
  )
  return open && projectId ? (
    <Link to="/project/$projectId/live" params={{ projectId }} className="web-figure">
      {face}
    </Link>
  ) : (
    <div className="web-figure">{face}</div>
  )
}
