import { useCallback } from 'react'
import { number, percent, short } from '../../../lib/format.ts'
import { keyed } from '../../../lib/keyed.ts'
import { cssColour } from '../../../lib/series-colours.ts'
import { Chart } from '../../../ui/chart.tsx'
import { pie, rows } from '../../../ui/chart-options.ts'
import { usePicture } from '../../../ui/picture.tsx'
import { fitting, LeftOut, useRoom } from '../room.tsx'
import { coloursOf, isBefore, namesOf, totalOf } from './series-names.ts'
import type { NamedSeries } from './types.ts'
import './totals.css'

/**
 * Displays of one number a series: big, as a share of a whole, or one below the other. Each opens the people behind it.
 */
interface Totals {
  series: readonly NamedSeries[]
  height: number
  open: (series: number) => void
}

export function Numbers({
  series,
  height,
  open,
  format = short,
  previous,
}: Totals & { format?: (value: number) => string; previous?: string }) {
  const room = useRoom()
  const names = namesOf(series)
  const before = series.filter(isBefore)
  useRowsPicture(series, format)
  return (
    <div className="numbers" style={room ? undefined : { minHeight: height }}>
      {keyed(series.filter((one) => !isBefore(one)).slice(0, 8)).map(({ key, item: one, index }) => (
        <button
          key={key}
          type="button"
          className="number-face"
          disabled={!one.action}
          onClick={() => open(series.indexOf(one))}
          title={format === short ? number(totalOf(one)) : format(totalOf(one))}
        >
          <span className="number-value">{format(totalOf(one))}</span>
          <span className="soft small">{names[series.indexOf(one)]}</span>
          {before[index] && <Change now={totalOf(one)} before={totalOf(before[index])} previous={previous} />}
        </button>
      ))}
    </div>
  )
}

/** The change against the previous period: "+51.1% vs previous 30 days". */
export function Change({
  now,
  before,
  previous = 'previous period',
}: {
  now: number
  before: number
  previous?: string | undefined
}) {
  if (before === 0) return <span className="tiny soft">no data for the {previous}</span>
  const change = now / before - 1
  if (Math.abs(change) < 0.0005) return <span className="tiny soft">no change vs {previous}</span>
  return (
    <span className="tiny soft">
      <span className={change < 0 ? 'fewer' : 'more'}>
        {change < 0 ? '−' : '+'}
        {percent(Math.abs(change))}
      </span>{' '}
      vs {previous}
    </span>
  )
}

type Format = (value: number) => string

export function Ranking({ series, open, format = number }: Omit<Totals, 'height'> & { format?: Format }) {
  const room = useRoom()
  const shown = room ? series.slice(0, fitting(series.length, room.height, LINE)) : series
  const names = namesOf(series)
  useRowsPicture(series, format)
  const most = Math.max(1, ...series.map((one) => Math.abs(totalOf(one))))
  return (
    <>
      <ol className="ranking">
        {keyed(shown).map(({ key, item: one, index }) => (
          <li key={key}>
            <button type="button" className="ranking-row" disabled={!one.action} onClick={() => open(index)}>
              <span
                className={`ranking-bar ${isBefore(one) ? 'ranking-before' : ''}`}
                style={{ width: `${(Math.abs(totalOf(one)) / most) * 100}%` }}
              />
              <span className="ranking-name truncate" title={names[index]}>
                {names[index]}
              </span>
              <span className="ranking-value">{format(totalOf(one))}</span>
            </button>
          </li>
        ))}
      </ol>
      <LeftOut count={series.length - shown.length} />
    </>
  )
}

/** Of a row in a tile, with the room below it. */
const LINE = 28

/** Totals as a picture: one bar below the other. */
function useRowsPicture(series: readonly NamedSeries[], format: Format): void {
  usePicture(
    useCallback(() => {
      const shown = series.slice(0, 25)
      const bars = shown.map((one) => ({ value: totalOf(one), text: format(totalOf(one)) }))
      return rows(namesOf(shown), [{ name: 'Total', colour: '--s1', bars }])
    }, [series, format]),
  )
}

export function Pie({ series, height, open, format = number }: Totals & { format?: Format }) {
  const names = namesOf(series)
  const colours = coloursOf(series)
  const room = useRoom()
  const shown = room ? series.slice(0, fitting(series.length, room.height, LINE)) : series
  const whole = series.reduce((sum, one) => sum + totalOf(one), 0)
  const option = useCallback(() => {
    const marks = coloursOf(series)
    const titles = namesOf(series)
    return pie(
      series.map((one, index) => ({
        name: titles[index] ?? '',
        value: totalOf(one),
        colour: `--s${(marks[index] ?? 0) + 1}`,
      })),
      format,
    )
  }, [series, format])
  return (
    <div className="pie" style={room ? undefined : { minHeight: height }}>
      <div className="pie-ring">
        <Chart label={names.join(', ')} height="100%" option={option} onPick={({ dataIndex }) => open(dataIndex)} />
        <span className="pie-whole">
          <span className="number-small">{format === number ? short(whole) : format(whole)}</span>
          <span className="tiny soft">in total</span>
        </span>
      </div>
      <ul className="pie-parts">
        {keyed(shown).map(({ key, item: one, index }) => (
          <li key={key}>
            <button type="button" className="pie-part" disabled={!one.action} onClick={() => open(index)}>
              <span className="data-table-dot" style={{ background: cssColour(colours[index] ?? 0) }} />
              <span className="grow truncate">{names[index]}</span>
              <span>{format(totalOf(one))}</span>
              <span className="soft pie-share">{percent(whole > 0 ? totalOf(one) / whole : 0)}</span>
            </button>
          </li>
        ))}
        {shown.length < series.length && (
          <li>
            <LeftOut count={series.length - shown.length} />
          </li>
        )}
      </ul>
    </div>
  )
}
