import { useMemo, useRef, useState } from 'react'
import { keyed } from '../../../lib/keyed.ts'
import { cssColour } from '../../../lib/series-colours.ts'
import { useStable } from '../../../lib/use-stable.ts'

export interface LegendItem {
  name: string
  colour: number
  /** The previous period: dashed, as in the chart. */
  faded?: boolean
}

/** Which series of a chart are hidden, by their names: they stay hidden while the question changes. */
export interface Hidden {
  has: (name: string) => boolean
  toggle: (name: string) => void
  /** Only this one, or all again where it is the only one. */
  isolate: (name: string) => void
  /** The same after a first click, which has hidden or shown it already. */
  isolateInstead: (name: string) => void
}

export function useHidden(shown: readonly string[]): Hidden {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const names = useStable(shown)
  const earlier = useRef(hidden)
  return useMemo(() => {
    const isAlone = (name: string, among: ReadonlySet<string>) =>
      names.every((other) => (other === name) !== among.has(other))
    const onlyOrAll = (name: string, among: ReadonlySet<string>) =>
      setHidden(isAlone(name, among) ? new Set() : new Set(names.filter((other) => other !== name)))
    return {
      has: (name) => hidden.has(name) && names.some((other) => !hidden.has(other)),
      toggle: (name) => {
        earlier.current = hidden
        const next = new Set(hidden)
        if (!next.delete(name)) next.add(name)
        setHidden(names.every((other) => next.has(other)) ? new Set() : next)
      },
      isolate: (name) => onlyOrAll(name, hidden),
      isolateInstead: (name) => onlyOrAll(name, earlier.current),
    }
  }, [hidden, names])
}

/**
 * Which colour is what. With `hidden` a click on a name hides its series and brings it back; a double click (or a click
 * with Shift, which a keyboard can do) hides all others.
 */
export function Legend({ items, hidden }: { items: readonly LegendItem[]; hidden?: Hidden }) {
  if (items.length < 2) return null
  return (
    <ul className="legend">
      {keyed(items).map(({ key, item }) => (
        <li key={key} className="legend-item">
          {hidden ? (
            <button
              type="button"
              className="legend-face legend-toggle"
              aria-pressed={!hidden.has(item.name)}
              title={`${hidden.has(item.name) ? 'Show' : 'Hide'} ${item.name}; double click to show only this`}
              onClick={({ shiftKey, detail }) => {
                if (detail > 1) hidden.isolateInstead(item.name)
                else if (shiftKey) hidden.isolate(item.name)
                else hidden.toggle(item.name)
              }}
            >
              <Mark {...item} />
              <span className="truncate">{item.name}</span>
            </button>
          ) : (
            <span className="legend-face">
              <Mark {...item} />
              <span className="truncate">{item.name}</span>
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

function Mark({ colour, faded }: LegendItem) {
  return (
    <span
      className={`legend-mark ${faded ? 'legend-dashed' : ''}`}
      style={{ ['--mark' as string]: cssColour(colour) }}
    />
  )
}
