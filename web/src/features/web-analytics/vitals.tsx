import { number } from '../../lib/format.ts'
import { Badge, Segmented } from '../../ui/controls.tsx'
import { dimmedWhile, EmptyState, ErrorState } from '../../ui/states.tsx'
import { usePart } from './ask.ts'
import { CsvButton } from './csv-button.tsx'
import { sameValue, toggled } from './dimensions.ts'
import { ROWS, THRESHOLDS, vitalsNode } from './nodes.ts'
import { NumberButton } from './number-button.tsx'
import { orderOf } from './order.ts'
import { measuredOn, peopleSource } from './people.ts'
import { RowsSkeleton } from './rows-table.tsx'
import { VITALS } from './search.ts'
import { SortHead } from './sort-head.tsx'
import { useWebSource } from './source.tsx'

type Vital = (typeof VITALS)[number]

const ABOUT: Readonly<Record<Vital, string>> = {
  LCP: 'Largest contentful paint: until the main content is there',
  INP: 'Interaction to next paint: until the page reacts',
  CLS: 'Cumulative layout shift: how much the page moves',
  FCP: 'First contentful paint: until something is there',
}

export const vitalText = (vital: Vital, value: number): string =>
  vital === 'CLS' ? value.toFixed(2) : value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`

const BANDS = [
  { key: 'poor', label: 'Poor', tone: 'bad' },
  { key: 'needs_improvements', label: 'Needs work', tone: 'warn' },
  { key: 'good', label: 'Good', tone: 'good' },
] as const

/** Pages by a web vital, the worst first: three in four views are no worse than the value. */
export function Vitals() {
  const { state, change } = useWebSource()
  const { vital = 'LCP', filters = [] } = state
  const { data, error, isPlaceholderData, refetch } = usePart(vitalsNode(state, vital))
  const bands = data?.results[0]
  const worstFirst = bands ? BANDS.flatMap((band) => bands[band.key].map((page) => ({ ...page, band }))) : []
  const pages = orderOf(state, 'vitals', ['value']).up ? worstFirst.toReversed() : worstFirst
  const [good, poor] = THRESHOLDS[vital]
  return (
    <section className="card web-card" aria-label="Web vitals">
      <header className="card-head web-vitals-head">
        <h2>Web vitals</h2>
        <Segmented
          label="Web vital"
          value={vital}
          options={VITALS.map((value) => ({ value, label: value }))}
          onChange={(next) => change({ vital: next === 'LCP' ? undefined : next })}
        />
      </header>
      <div {...dimmedWhile(isPlaceholderData, 'web-body')}>
        {error ? (
          <ErrorState error={error} retry={() => refetch()} />
        ) : !bands ? (
          <RowsSkeleton rows={ROWS} />
        ) : pages.length === 0 ? (
          <EmptyState icon="live" title="No web vitals">
            posthog-js measures how fast pages are when web vitals are switched on.
          </EmptyState>
        ) : (
          <table className="web-table">
            <caption className="unseen">{ABOUT[vital]}, by page</caption>
            <thead>
              <tr>
                <th scope="col">Page</th>
                <SortHead on="vitals" name="value" label={vital} about={ABOUT[vital]} columns={['value']} />
                <th scope="col">Verdict</th>
              </tr>
            </thead>
            <tbody>
              {pages.slice(0, ROWS).map(({ path, value, band }) => {
                const chosen = filters.some(({ on, is }) => on === 'page' && sameValue(is, path))
                return (
                  <tr key={path} className={chosen ? 'web-chosen' : ''}>
                    <th scope="row">
                      <button
                        type="button"
                        className="web-name truncate"
                        title={path}
                        aria-pressed={chosen}
                        onClick={() => change({ filters: toggled(filters, { on: 'page', is: path }) })}
                      >
                        {path}
                      </button>
                    </th>
                    <NumberButton
                      text={vitalText(vital, value)}
                      about={`${vital}, ${path}`}
                      behind={{ title: `${vital}: ${path}`, source: peopleSource(state, measuredOn(path)) }}
                    />
                    <td>
                      <Badge tone={band.tone}>{band.label}</Badge>
                    </td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        )}
      </div>
      <footer className="web-foot">
        <span className="grow tiny soft" title={ABOUT[vital]}>
          {bands
            ? BANDS.map(({ key, label }) => `${number(bands[key].length)} ${label.toLowerCase()}`).join(' · ')
            : '\u00a0'}
        </span>
        <span className="tiny soft">
          Good to {vitalText(vital, good)}, poor from {vitalText(vital, poor)}
        </span>
        <CsvButton
          of="web vitals"
          file={`Web vitals ${vital}`}
          disabled={!bands}
          lines={() => [['Page', vital, 'Verdict'], ...pages.map(({ path, value, band }) => [path, value, band.label])]}
        />
      </footer>
    </section>
  )
}
