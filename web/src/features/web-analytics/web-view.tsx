import { lazy, Suspense } from 'react'
import { DIMENSIONS, GROUPS } from './dimensions.ts'
import { Figures } from './figures.tsx'
import { FilterLine } from './filter-line.tsx'
import { Goals } from './goals.tsx'
import { Graph } from './graph.tsx'
import { Hours } from './hours.tsx'
import { useWebSource } from './source.tsx'
import { CardFoot, Rows, TableCard } from './table-card.tsx'
import { Vitals } from './vitals.tsx'
import './web.css'

const AllRows = lazy(() => import('./all-rows.tsx').then((module) => ({ default: module.AllRows })))

const PLACES = ['map', ...GROUPS.places] as const

/** The parts of the page, for a project and for whoever has a public link. */
export function WebView() {
  const { state } = useWebSource()
  return (
    <>
      <FilterLine />
      <Figures />
      <Graph />
      <div className="web-grid">
        <TableCard title="Sources" place="sources" tabs={GROUPS.sources} />
        <TableCard title="Pages" place="pages" tabs={GROUPS.pages} />
        <TableCard title="Places" place="places" tabs={PLACES} />
        <TableCard title="Devices" place="devices" tabs={GROUPS.devices} />
        <section className="card web-card" aria-label="Outgoing links">
          <header className="card-head">
            <h2>{DIMENSIONS.outgoing.label}</h2>
          </header>
          <Rows on="outgoing" />
          <CardFoot on="outgoing" />
        </section>
        <Goals />
        <Hours />
        <Vitals />
      </div>
      {state.all && (
        <Suspense>
          <AllRows key={state.all} on={state.all} />
        </Suspense>
      )}
    </>
  )
}
