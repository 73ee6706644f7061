import { duration, number, percent } from '../../../lib/format.ts'
import { type DrawnStep, droppedBefore, share, stepName } from './funnel-columns.tsx'
import './funnel-list.css'

/** Steps one below the other: there is room for as many as a funnel may have. */
export function FunnelList({ steps }: { steps: readonly DrawnStep[] }) {
  return (
    <ol className="funnel-list">
      {steps.map((drawn) => (
        <Row key={`${drawn.step.order}/${drawn.step.name}`} drawn={drawn} />
      ))}
    </ol>
  )
}

function Row({ drawn }: { drawn: DrawnStep }) {
  const { step, from, first, earlier, bars, onDrop } = drawn
  const dropped = droppedBefore(drawn)
  return (
    <li className="funnel-item">
      {from && (
        <div className="funnel-item-between">
          <span className="strong">{percent(share(step.count, from.count))}</span>
          <span className="soft">
            continued{step.median_conversion_time ? ` in ${duration(step.median_conversion_time)}` : ''}
          </span>
          <button type="button" className="funnel-drop" onClick={onDrop} disabled={dropped === 0}>
            {number(dropped)} dropped off
          </button>
        </div>
      )}
      <div className="funnel-item-head">
        <span className="faint">{step.order + 1}</span>
        <span className="funnel-item-name truncate" title={stepName(step)}>
          {stepName(step)}
        </span>
        {earlier && <span className="soft tiny">{number(earlier.count)} previously</span>}
        <span className="funnel-count">{number(step.count)}</span>
        <span className="soft tiny funnel-item-share">{percent(share(step.count, first))}</span>
      </div>
      <div className="funnel-item-bars">
        {bars.map((bar) => (
          <button
            key={bar.label}
            type="button"
            className={`funnel-item-bar ${bar.faded ? 'funnel-bar-before' : ''}`}
            aria-label={bar.label}
            title={bar.label}
            onClick={bar.open}
          >
            <span className="funnel-item-fill" style={{ width: `${bar.share * 100}%`, background: bar.colour }} />
          </button>
        ))}
      </div>
    </li>
  )
}
