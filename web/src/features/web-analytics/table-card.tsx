import { lazy, type ReactNode, Suspense } from 'react'
import { Button } from '../../ui/controls.tsx'
import { dimmedWhile, EmptyState, ErrorState } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { askTogether, usePart } from './ask.ts'
import { Attribution } from './attribution.tsx'
import { csvLines } from './columns.ts'
import { CsvButton } from './csv-button.tsx'
import { DIMENSIONS, type DimensionId, valueName } from './dimensions.ts'
import { MOST_ROWS, nodeOf, ROWS, tableNode } from './nodes.ts'
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
        {(chosen === 'city' || chosen === 'region') && <AttributionOf on={chosen} />}
      </CardFoot>
    </section>
  )
}

export function Rows({ on }: { on: DimensionId }) {
  const { state } = useWebSource()
  const { data, error, isPlaceholderData, refetch } = usePart(nodeOf(state, on, ROWS))
  return (
    <div {...dimmedWhile(isPlaceholderData, 'web-body')}>
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
      <TableCsv on={on} />
    </footer>
  )
}

function AttributionOf({ on }: { on: 'city' | 'region' }) {
  const { state } = useWebSource()
  const { data } = usePart(tableNode(state, on, ROWS))
  return <Attribution to={data?.attribution} />
}

/** All rows, not only those in sight. */
export function TableCsv({ on }: { on: DimensionId }) {
  const { state, url } = useWebSource()
  const { label, one } = DIMENSIONS[on]
  const lines = async () => {
    const { columns, results } = await askTogether(url, 'tables', nodeOf(state, on, MOST_ROWS))
    return csvLines(one, results, columns, (row) => valueName(on, row[0]))
  }
  return <CsvButton of={label.toLowerCase()} file={label} lines={lines} />
}
