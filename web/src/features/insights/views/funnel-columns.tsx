import type { FunnelStep } from '../../../api/contract.ts'
import { duration, number, percent } from '../../../lib/format.ts'
import { eventName } from '../../../lib/names.ts'

export const share = (part: number, whole: number): number => (whole > 0 ? part / whole : 0)

/** A step of a funnel with what leads to it, whichever way it is drawn. */
export interface FunnelBar {
  colour: string
  faded: boolean
  share: number
  label: string
  open: () => void
}

export interface DrawnStep {
  step: FunnelStep
  from: FunnelStep | undefined
  first: number
  /** The same step in the previous period. */
  earlier: FunnelStep | undefined
  earlierFrom: FunnelStep | undefined
  bars: FunnelBar[]
  onDrop: () => void
}

export const droppedBefore = ({ step, from }: DrawnStep): number => (from ? from.count - step.count : 0)

export const stepName = (step: FunnelStep): string =>
  step.custom_name || eventName(step.type === 'events' && step.action_id !== null ? String(step.action_id) : step.name)

/** Steps side by side. */
export function FunnelColumn(drawn: DrawnStep) {
  const { step, from, first, earlier, earlierFrom, bars: all, onDrop } = drawn
  const dropped = droppedBefore(drawn)
  return (
    <>
      {from && (
        <div className="funnel-between">
          <span className="funnel-on">{percent(share(step.count, from.count))}</span>
          <span className="tiny soft">continued</span>
          {earlier && earlierFrom && (
            <span className="tiny soft">{percent(share(earlier.count, earlierFrom.count))} previously</span>
          )}
          {step.median_conversion_time ? (
            <span className="tiny soft" title="Median time: half of them took less">
              in {duration(step.median_conversion_time)}
            </span>
          ) : null}
          <button type="button" className="funnel-drop" onClick={onDrop} disabled={dropped === 0}>
            {number(dropped)} dropped off
          </button>
        </div>
      )}
      <div className="funnel-step">
        <div className="funnel-bars">
          {all.map((bar) => (
            <button
              key={bar.label}
              type="button"
              className={`funnel-bar ${bar.faded ? 'funnel-bar-before' : ''}`}
              aria-label={bar.label}
              title={bar.label}
              onClick={bar.open}
            >
              <span
                className="funnel-fill"
                style={{ ['--share' as string]: `${bar.share * 100}%`, background: bar.colour }}
              />
            </button>
          ))}
        </div>
        <div>
          <div className="funnel-name">
            <span className="faint">{step.order + 1}</span>
            <span className="funnel-label" title={stepName(step)}>
              {stepName(step)}
            </span>
          </div>
          <div className="row" style={{ alignItems: 'baseline' }}>
            <span className="funnel-count">{number(step.count)}</span>
            <span className="soft tiny">{percent(share(step.count, first))}</span>
          </div>
          {earlier && <div className="soft tiny">{number(earlier.count)} previously</div>}
        </div>
      </div>
    </>
  )
}
