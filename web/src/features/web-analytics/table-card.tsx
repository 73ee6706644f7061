import { lazy, type ReactNode, Suspense, useState } from 'react'
import { csvText } from '../../lib/csv.ts'
import { Button } from '../../ui/controls.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { sayFailure } from '../../ui/toast.tsx'
import { download } from '../insights/index.ts'
import { askTogether, usePart } from './ask.ts'
import { Attribution } from './attribution.tsx'
import { csvLines } from './columns.ts'
import { DIMENSIONS, type DimensionId, valueName } from './dimensions.ts'
import { MOST_ROWS, nodeOf, ROWS } from './nodes.ts'
import { RowsSkeleton, RowsTable } from './rows-table.tsx'
import { useWebSource } from './source.tsx'

const WorldMap = lazy(() => import('./world-map.tsx').then((module) => ({ default: module.WorldMap })))

type Place = 'sources' | 'pages' | 'places' | 'devices'

/** A card with tables in tabs. */
export function TableCard({
  title,
  place,
  tabs,
}: {
  title: string
  place: Place
  tabs: readonly (DimensionId | 'map')[]
}) {
  const { state, change } = useWebSource()
  const chosen = state[place] ?? tabs[0] ?? 'channel'
  return (
    <section className="card web-card" aria-label={title}>
      <Tabs
        label={title}
        value={chosen}
        onChange={(next) => change({ [place]: next === tabs[0] ? undefined : next })}
        tabs={tabs.map((value) => ({ value, label: value === 'map' ? 'Map' : DIMENSIONS[value].label }))}
      />
      {chosen === 'map' ? (
        <Suspense fallback={<RowsSkeleton rows={ROWS} />}>
          <WorldMap />
        </Suspense>
      ) : (
        <Rows on={chosen} />
      )}
      <CardFoot on={chosen === 'map' ? 'country' : chosen}>
        {(chosen === 'city' || chosen === 'region') && <Attribution />}
      </CardFoot>
    </section>
  )
}

export function Rows({ on }: { on: DimensionId }) {
  const { state } = useWebSource()
  const { data, error, isPlaceholderData, refetch } = usePart(nodeOf(state, on, ROWS))
  return (
    <div className={`web-body ${isPlaceholderData ? 'dimmed' : ''}`} aria-busy={isPlaceholderData}>
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : !data ? (
        <RowsSkeleton rows={ROWS} />
      ) : data.results.length === 0 ? (
        <EmptyState icon="search" title="Nothing here">
          {EMPTY[on] ?? 'No visits in this period, or none that fit the filters.'}
        </EmptyState>
      ) : (
        <RowsTable on={on} table={data} label={DIMENSIONS[on].label} />
      )}
    </div>
  )
}

const EMPTY: Readonly<Partial<Record<DimensionId, string>>> = {
  outgoing: 'Clicks on links to other sites appear here. posthog-js and the small snippet both send them.',
  city: 'Cities need a file of cities: name one with FOOTFALL_GEOIP.',
  region: 'Regions need a file of cities: name one with FOOTFALL_GEOIP.',
}

export function CardFoot({ on, children }: { on: DimensionId; children?: ReactNode }) {
  const { change } = useWebSource()
  return (
    <footer className="web-foot">
      <span className="grow tiny soft">{children}</span>
      <Button small kind="quiet" onClick={() => change({ all: on })}>
        Show all<span className="unseen"> {DIMENSIONS[on].label.toLowerCase()}</span>
      </Button>
      <CsvButton on={on} />
    </footer>
  )
}

/** All rows, not only those in sight. */
export function CsvButton({ on }: { on: DimensionId }) {
  const { state, url } = useWebSource()
  const [busy, setBusy] = useState(false)
  const { label, one } = DIMENSIONS[on]
  const save = async () => {
    setBusy(true)
    try {
      const { columns, results } = await askTogether(url, 'tables', nodeOf(state, on, MOST_ROWS))
      const lines = csvLines(one, results, columns, (row) => valueName(on, row[0]))
      download(`${label}.csv`, csvText(lines))
    } catch (error) {
      sayFailure(error)
    }
    setBusy(false)
  }
  return (
    <Button small kind="quiet" icon="download" onClick={save} busy={busy} aria-label={`CSV of ${label.toLowerCase()}`}>
      CSV
    </Button>
  )
}
