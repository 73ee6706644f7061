import { duration, number, percent } from '../../../lib/format.ts'
import { type DrawnStep, droppedBefore, share, stepName } from './funnel-columns.tsx'
import './funnel-rows.css'

/** Steps one below the other: there is room for as many as a funnel may have. */
export function FunnelRows({ steps, compact }: { steps: readonly DrawnStep[]; compact: boolean }) {
  return (
    <ol className={`funnel-rows ${compact ? 'funnel-rows-compact' : ''}`}>
      {steps.map((drawn) => (
        <Row key={`${drawn.step.order}/${drawn.step.name}`} drawn={drawn} compact={compact} />
      ))}
    </ol>
  )
}

function Row({ drawn, compact }: { drawn: DrawnStep; compact: boolean }) {
  const { step, from, first, earlier, bars, onDrop } = drawn
  const dropped = droppedBefore(drawn)
  return (
    <li className="funnel-row">
      {from && !compact && (
        <div className="funnel-row-between">
          <span className="strong">{percent(share(step.count, from.count))}</span>
          <span className="soft">
            continued{step.median_conversion_time ? ` in ${duration(step.median_conversion_time)}` : ''}
          </span>
          <button type="button" className="funnel-drop" onClick={onDrop} disabled={dropped === 0}>
            {number(dropped)} dropped off
          </button>
        </div>
      )}
      <div className="funnel-row-head">
        <span className="faint">{step.order + 1}</span>
        <span className="funnel-row-name truncate" title={stepName(step)}>
          {stepName(step)}
        </span>
        {earlier && <span className="soft tiny">{number(earlier.count)} previously</span>}
        <span className="funnel-count">{number(step.count)}</span>
        <span className="soft tiny funnel-row-share">{percent(share(step.count, first))}</span>
      </div>
      <div className="funnel-row-bars">
        {bars.map((bar) => (
          <button
            key={bar.label}
            type="button"
            className={`funnel-row-bar ${bar.faded ? 'funnel-bar-before' : ''}`}
            aria-label={bar.label}
            title={bar.label}
            onClick={bar.open}
          >
            <span className="funnel-row-fill" style={{ width: `${bar.share * 100}%`, background: bar.colour }} />
          </button>
        ))}
      </div>
    </li>
  )
}
