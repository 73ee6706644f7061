import { number, percent } from '../../../lib/format.ts'
import { keyed } from '../../../lib/keyed.ts'
import { fitting, LeftOut, type Room } from '../room.tsx'

/** What a column needs: the bar, its count and what is said between two of them. */
const STEP = 92
const BETWEEN = 108
const LOWEST = 230
const ROW = 26

export const fitsColumns = (steps: number, { width, height }: Room): boolean =>
  height >= LOWEST && width >= steps * STEP + (steps - 1) * BETWEEN

interface Row {
  name: string
  count: number
  /** Of the first step. */
  share: number
  open: () => void
}

/** The steps one below the other, for a tile that is too small for columns: every step stays in sight. */
export function FunnelRows({ steps, room }: { steps: readonly Row[]; room: Room }) {
  const shown = steps.slice(0, fitting(steps.length, room.height, ROW))
  return (
    <div className="view">
      <div className="funnel-rows">
        {keyed(shown).map(({ key, item, index }) => (
          <button
            key={key}
            type="button"
            className="funnel-row"
            title={`${number(item.count)} reached ${item.name}`}
            onClick={item.open}
          >
            <span className="funnel-row-fill" style={{ ['--share' as string]: `${item.share * 100}%` }} />
            <span className="grow truncate">
              {index + 1} {item.name}
            </span>
            <b>{number(item.count)}</b>
            <span className="truncate">{percent(item.share)}</span>
          </button>
        ))}
      </div>
      <LeftOut count={steps.length - shown.length} />
    </div>
  )
}
