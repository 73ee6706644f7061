import { useCallback } from 'react'
import type { RetentionRow } from '../../../api/contract.ts'
import { number, percent } from '../../../lib/format.ts'
import { Chart } from '../../../ui/chart.tsx'
import { lines } from '../../../ui/chart-options.ts'
import { EmptyState } from '../../../ui/states.tsx'
import { usePanels } from '../../panels/index.ts'
import type { TableData } from '../data-table.tsx'
import { fitting, LeftOut, useRoom } from '../room.tsx'
import { shortLabels } from './labels.ts'
import type { ViewProps } from './types.ts'
import '../../../ui/fades.css'
import '../../../ui/table.css'
import './retention.css'
import './views.css'

export function RetentionView({ draft, node, answer, height, compact }: ViewProps<'RetentionQuery'>) {
  const rows = answer.results
  const panels = usePanels()
  const room = useRoom()
  /** The latest interval of each row is in progress. */
  const unfinished = draft.to === undefined
  const period = draft.period ?? 'Day'
  const option = useCallback(() => curve(rows, unfinished, period), [rows, period, unfinished])
  if (rows.every(({ values }) => (values[0]?.count ?? 0) === 0))
    return (
      <div className="view-empty" style={{ minHeight: height }}>
        <EmptyState icon="retention" title="Nobody to follow in this period">
          Choose an event that people did in these {period.toLowerCase()}s, or a longer range.
        </EmptyState>
      </div>
    )
  const most = Math.max(...rows.map(({ values }) => values.length))
  const width = room
    ? Math.max(1, Math.min(most, Math.floor((room.width - (room.width > NARROW ? NAMES : NAMES / 2)) / CELL)))
    : most
  const shown = room ? rows.slice(0, fitting(rows.length, room.height - LINE, LINE)) : rows
  const titles = Array.from({ length: width }, (_, index) => `${period} ${index}`)
  const open = (row: number, after: number) => {
    const label = dateLabel(rows[row] as RetentionRow, period)
    panels.open({
      to: 'people',
      title: after === 0 ? `Started ${label}` : `Started ${label}, returned in ${period.toLowerCase()} ${after}`,
      source: {
        kind: 'InsightActorsQuery',
        source: node,
        interval: row,
        includeRecordings: true,
        ...(after > 0 ? { day: after } : {}),
      },
    })
  }
  return (
    <div className="view">
      {!compact && (
        <Chart
          label={`Share of people who returned, by ${period.toLowerCase()}`}
          height={Math.min(height, 220)}
          option={option}
        />
      )}
      <section
        className={`table-box retention-box fades ${compact ? 'retention-small' : ''}`}
        aria-label="Retention by start date"
        tabIndex={0}
      >
        <table className="table retention">
          <caption className="unseen">Retention by start date</caption>
          <thead>
            <tr>
              <th scope="col" className="retention-name">
                Started
              </th>
              <th scope="col" className="table-right">
                People
              </th>
              {titles.map((title) => (
                <th key={title} scope="col" className="retention-middle">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {!compact && <Average rows={rows} unfinished={unfinished} titles={titles} />}
            {shown.map((row, index) => (
              <Cohort
                key={row.date}
                row={{ ...row, values: row.values.slice(0, width) }}
                label={dateLabel(row, period)}
                open={unfinished ? rows.length - 1 - index : -1}
                onOpen={(after) => open(index, after)}
              />
            ))}
          </tbody>
        </table>
      </section>
      <LeftOut count={rows.length - shown.length} />
    </div>
  )
}

/** In a tile: of a line, of the first two columns, of each other one. */
const LINE = 33
const NAMES = 128
/** Narrower, the number of people is left out. */
const NARROW = 300
const CELL = 50

const dateLabel = (row: RetentionRow, period: string): string => {
  const day = row.date.slice(0, 10)
  return (period === 'Month' ? shortLabels([day, '1970-01-01']) : shortLabels([day]))[0] ?? row.label
}

function curve(rows: readonly RetentionRow[], unfinished: boolean, period: string) {
  const means = meansOf(rows, unfinished)
  return lines({
    labels: means.map((_, index) => `${period} ${index}`),
    series: [
      {
        name: 'Returned',
        data: means.map((mean) => (mean === null ? null : Math.round(mean * 1000) / 10)),
        colour: '--s1',
      },
    ],
    format: (value) => `${number(value)}%`,
    max: 100,
  })
}

function Average({
  rows,
  unfinished,
  titles,
}: {
  rows: readonly RetentionRow[]
  unfinished: boolean
  titles: readonly string[]
}) {
  return (
    <tr className="retention-average">
      <th scope="row" className="retention-name">
        Average
      </th>
      <td className="table-right">{number(rows.reduce((sum, { values }) => sum + (values[0]?.count ?? 0), 0))}</td>
      {meansOf(rows, unfinished).map((mean, interval) => (
        <td key={titles[interval]}>{mean === null ? '' : percent(mean)}</td>
      ))}
    </tr>
  )
}

/** `open`: which of its intervals is in progress. */
function Cohort({
  row,
  label,
  open,
  onOpen,
}: {
  row: RetentionRow
  label: string
  open: number
  onOpen: (after: number) => void
}) {
  const size = row.values[0]?.count ?? 0
  const cells = row.values.map(({ count }, index) => ({
    id: `${row.date}+${index}`,
    after: index,
    count,
    open: index === open,
    share: size > 0 ? count / size : 0,
  }))
  return (
    <tr>
      <th scope="row" className="retention-name">
        {label}
      </th>
      <td className="table-right">{number(size)}</td>
      {cells.map(({ id, after, count, share, open: going }) => (
        <td key={id}>
          {size > 0 && (
            <button
              type="button"
              className={`heat ${going ? 'heat-open' : ''}`}
              title={`${number(count)} of ${number(size)}${going ? ', in progress' : ''}`}
              style={{ ['--heat' as string]: heatOf(share) }}
              disabled={count === 0}
              onClick={() => onOpen(after)}
            >
              {percent(share, 0)}
            </button>
          )}
        </td>
      ))}
    </tr>
  )
}

/** Most shares are small: the scale gives them room. At its end it is still pale enough for ink, in both themes. */
const heatOf = (share: number): string => `${Math.round(share ** 0.6 * 50)}%`

/** Weighted by the size of the rows; null where every interval is in progress. */
function meansOf(rows: readonly RetentionRow[], unfinished = false): (number | null)[] {
  const width = Math.max(0, ...rows.map(({ values }) => values.length))
  return Array.from({ length: width }, (_, index) => {
    const over = rows.filter(
      ({ values }, row) => values.length > index && (index === 0 || !unfinished || row + index < rows.length - 1),
    )
    const size = over.reduce((sum, { values }) => sum + (values[0]?.count ?? 0), 0)
    return size === 0 ? null : over.reduce((sum, { values }) => sum + (values[index]?.count ?? 0), 0) / size
  })
}

export function retentionTable(rows: readonly RetentionRow[]): TableData {
  const width = Math.max(0, ...rows.map(({ values }) => values.length))
  return {
    label: 'Retention',
    head: ['Started', ...Array.from({ length: width }, (_, index) => `Interval ${index}`)],
    rows: rows.map((row) => ({
      key: row.date,
      name: row.date.slice(0, 10),
      cells: row.values.map(({ count }) => count),
    })),
  }
}
