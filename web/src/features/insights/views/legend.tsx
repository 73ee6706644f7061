import { keyed } from '../../../lib/keyed.ts'
import { cssColour } from '../../../lib/series-colours.ts'

interface LegendItem {
  name: string
  colour: number
  /** The previous period: dashed, as in the chart. */
  faded?: boolean
}

/** Which colour is what. With `onToggle` a name hides its line and brings it back. */
export function Legend({
  items,
  hidden,
  onToggle,
}: {
  items: readonly LegendItem[]
  hidden?: ReadonlySet<number>
  onToggle?: (index: number) => void
}) {
  if (items.length < 2) return null
  return (
    <ul className="legend">
      {keyed(items).map(({ key, item, index }) => (
        <li key={key} className="legend-item">
          {onToggle ? (
            <button
              type="button"
              className="legend-face legend-toggle"
              aria-pressed={!hidden?.has(index)}
              title={hidden?.has(index) ? `Show ${item.name}` : `Hide ${item.name}`}
              onClick={() => onToggle(index)}
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
