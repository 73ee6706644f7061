import { clock } from '../../lib/format.ts'
import type { Mark } from './marks.ts'
import type { Span } from './snapshots.ts'

/** The position, inactive stretches, and the events of the recording. */
export function Timeline({
  now,
  total,
  loaded,
  idle,
  marks,
  onSeek,
}: {
  now: number
  total: number
  loaded: number
  idle: readonly Span[]
  marks: readonly Mark[]
  onSeek: (ms: number) => void
}) {
  const share = (ms: number) => `${(Math.min(Math.max(ms / Math.max(total, 1), 0), 1) * 100).toFixed(3)}%`
  return (
    <div className="timeline">
      <div className="timeline-marks">
        {marks
          .filter(({ at }) => at >= 0 && at <= total)
          .map((mark) => (
            // The same events stand in the list beside the player, where the keyboard reaches them.
            <button
              key={mark.id}
              type="button"
              tabIndex={-1}
              className={`timeline-mark timeline-${mark.tone}`}
              style={{ left: share(mark.at) }}
              aria-label={`${mark.name} at ${clock(mark.at / 1000)}`}
              onClick={() => onSeek(Math.max(0, mark.at - 1_000))}
            >
              <span className={`timeline-label ${sideOf(mark.at / total)}`}>
                {mark.name} <span className="timeline-when">{clock(mark.at / 1000)}</span>
              </span>
            </button>
          ))}
      </div>
      <div className="timeline-track">
        <span className="timeline-loaded" style={{ width: share(loaded) }} />
        <span className="timeline-done" style={{ width: share(now) }} />
        {idle.map(({ from, to }) => (
          <span
            key={from}
            className="timeline-idle"
            style={{ left: share(from), width: `${((to - from) / Math.max(total, 1)) * 100}%` }}
          />
        ))}
        <input
          type="range"
          className="timeline-range"
          min={0}
          max={Math.max(1, Math.round(total))}
          step={100}
          value={Math.min(now, total)}
          aria-label="Position"
          aria-valuetext={`${clock(now / 1000)} of ${clock(total / 1000)}`}
          onChange={(event) => onSeek(Number(event.target.value))}
        />
      </div>
    </div>
  )
}

/** Near an end the label lies to the other side, so that nothing of it is cut off. */
const sideOf = (share: number): string =>
  share < 0.2 ? 'timeline-label-right' : share > 0.8 ? 'timeline-label-left' : ''
