import { csvText } from '../../lib/csv.ts'
import { number } from '../../lib/format.ts'
import { Badge, Button, Segmented } from '../../ui/controls.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { download } from '../insights/index.ts'
import { usePart } from './ask.ts'
import { sameValue, toggled } from './dimensions.ts'
import { ROWS, THRESHOLDS, vitalsNode } from './nodes.ts'
import { RowsSkeleton } from './rows-table.tsx'
import { VITALS } from './search.ts'
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
  const pages = bands ? BANDS.flatMap((band) => bands[band.key].map((page) => ({ ...page, band }))) : []
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
      <div className={`web-body ${isPlaceholderData ? 'dimmed' : ''}`} aria-busy={isPlaceholderData}>
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
                <th scope="col">{vital}</th>
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
                    <td>{vitalText(vital, value)}</td>
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
            ? `${BANDS.map(({ key, label }) => `${number(bands[key].length)} ${label.toLowerCase()}`).join(' · ')} · good up to ${vitalText(vital, good)}, poor from ${vitalText(vital, poor)}`
            : '\u00a0'}
        </span>
        <Button
          small
          kind="quiet"
          icon="download"
          disabled={!bands}
          aria-label="CSV of web vitals"
          onClick={() =>
            download(
              `Web vitals ${vital}.csv`,
              csvText([['Page', vital, 'Verdict'], ...pages.map(({ path, value, band }) => [path, value, band.label])]),
            )
          }
        >
          CSV
        </Button>
      </footer>
    </section>
  )
}
