import { type KeyboardEvent, useRef, useState } from 'react'
import { number, percent } from '../../lib/format.ts'
import { dimmedWhile, ErrorState } from '../../ui/states.tsx'
import { usePart } from './ask.ts'
import { pairOf } from './columns.ts'
import { countryName, sameValue, toggled } from './dimensions.ts'
import { ROWS, tableNode } from './nodes.ts'
import { RowsSkeleton } from './rows-table.tsx'
import { useWebSource } from './source.tsx'
import world from './world.json'

const PATHS: Readonly<Record<string, string>> = world.paths
const DOTS: Readonly<Record<string, readonly number[]>> = world.dots
const MOST_COUNTRIES = 300

/**
 * The world, darker where more visitors are. A country filters the page. One of them is in the order of the tab key, arrows lead
 * to the others by their number of visitors.
 */
export function WorldMap() {
  const { state, change } = useWebSource()
  const { filters = [] } = state
  const { data, error, isPlaceholderData, refetch } = usePart(tableNode(state, 'country', MOST_COUNTRIES))
  const [pointed, setPointed] = useState<string | null>(null)
  const [current, setCurrent] = useState(0)
  const svg = useRef<SVGSVGElement>(null)
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (!data) return <RowsSkeleton rows={ROWS} />
  const visitors = new Map(
    data.results.flatMap((row) => (typeof row[0] === 'string' ? [[row[0], pairOf(row, 1)[0] ?? 0] as const] : [])),
  )
  const shown = [...visitors].filter(([code, count]) => count > 0 && (code in PATHS || code in DOTS))
  const most = Math.max(1, ...visitors.values())
  const sum = [...visitors.values()].reduce((all, count) => all + count, 0)
  const step = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    if (by === undefined || shown.length === 0) return
    event.preventDefault()
    const next = (current + by + shown.length) % shown.length
    setCurrent(next)
    svg.current?.querySelector<SVGElement>(`[data-country="${shown[next]?.[0]}"]`)?.focus()
  }
  const choose = (code: string) => change({ filters: toggled(filters, { on: 'country', is: code }) })
  const told = pointed ?? null
  return (
    <div {...dimmedWhile(isPlaceholderData, 'web-map')}>
      <fieldset className="web-map-shapes" aria-label="Visitors by country">
        <svg ref={svg} viewBox={`0 0 ${world.width} ${world.height}`} role="presentation">
          {Object.entries(PATHS).map(([code, path]) =>
            visitors.has(code) ? null : <path key={code} d={path} className="web-land" />,
          )}
          {shown.map(([code, count], index) => {
            const shape = {
              className: `web-country ${filters.some(({ on, is }) => on === 'country' && sameValue(is, code)) ? 'web-country-chosen' : ''}`,
              style: { ['--share' as string]: `${Math.round(22 + 78 * Math.sqrt(count / most))}%` },
              'data-country': code,
              role: 'button',
              tabIndex: index === Math.min(current, shown.length - 1) ? 0 : -1,
              'aria-label': `${countryName(code)}: ${number(count)} visitors`,
              onClick: () => choose(code),
              onKeyDown: (event: KeyboardEvent) => {
                step(event)
                if (event.key !== 'Enter' && event.key !== ' ') return
                event.preventDefault()
                choose(code)
              },
              onPointerEnter: () => setPointed(code),
              onPointerLeave: () => setPointed(null),
              onFocus: () => {
                setPointed(code)
                setCurrent(index)
              },
              onBlur: () => setPointed(null),
            }
            const [x, y] = DOTS[code] ?? []
            return code in PATHS ? (
              <path key={code} d={PATHS[code]} {...shape} />
            ) : (
              <circle key={code} cx={x} cy={y} r={7} {...shape} />
            )
          })}
        </svg>
      </fieldset>
      <p className="web-map-tip small">
        {told && visitors.has(told) ? (
          <>
            <span className="strong">{countryName(told)}</span> {number(visitors.get(told) ?? 0)} visitors,{' '}
            {percent((visitors.get(told) ?? 0) / (sum || 1))}
          </>
        ) : (
          <span className="soft">
            {shown.length === 0 ? 'No country is known of these visits.' : `Visitors from ${shown.length} countries`}
          </span>
        )}
      </p>
    </div>
  )
}
