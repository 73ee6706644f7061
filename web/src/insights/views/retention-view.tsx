import { useCallback } from 'react'
import { useDoors } from '../../doors/use-doors.ts'
import { number, percent } from '../../lib/format.ts'
import { Chart } from '../../ui/chart.tsx'
import { lines } from '../../ui/chart-options.ts'
import { EmptyState } from '../../ui/states.tsx'
import type { Twin } from '../twin.tsx'
import { shortLabels } from './trends-view.tsx'
import type { RetentionRow, ViewProps } from './types.ts'
import '../../ui/table.css'
import './views.css'

export function RetentionView({ draft, node, answer, height, compact }: ViewProps<RetentionRow[]>) {
  const rows = answer.results
  const doors = useDoors()
  /** The latest interval of each row is still going on. */
  const unfinished = draft.to === undefined
  const means = meansOf(rows, unfinished)
  const period = (draft.period ?? 'Day').toLowerCase()
  const option = useCallback(
    () =>
      lines({
        labels: meansOf(rows, unfinished).map((_, index) => `${period} ${index}`),
        series: [
          {
            name: 'Came back',
            data: meansOf(rows, unfinished).map((mean) => (mean === null ? null : Math.round(mean * 1000) / 10)),
            colour: '--s1',
          },
        ],
        format: (value) => `${number(value)}%`,
        max: 100,
      }),
    [rows, period, unfinished],
  )
  if (rows.length === 0) return <EmptyState icon="retention" title="Nobody to follow in this time" />
  const width = Math.max(...rows.map(({ values }) => values.length))
  const titles = Array.from({ length: width }, (_, index) => `${draft.period ?? 'Day'} ${index}`)
  const open = (row: number, label: string) =>
    doors.open({
      to: 'people',
      title: `Began ${label}`,
      source: { kind: 'InsightActorsQuery', source: node, interval: row, includeRecordings: true },
    })
  return (
    <div className="view">
      <Chart
        label={`Share of people who came back, by ${period}`}
        height={compact ? height * 0.5 : Math.min(height, 220)}
        option={option}
      />
      <section className="table-box" aria-label="Retention by starting time" tabIndex={0}>
        <table className="table retention">
          <caption className="unseen">Retention by starting time</caption>
          <thead>
            <tr>
              <th scope="col">Began</th>
              <th scope="col" className="table-right">
                People
              </th>
              {titles.map((title) => (
                <th key={title} scope="col" style={{ textAlign: 'center' }}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {!compact && (
              <tr>
                <th scope="row">Average</th>
                <td />
                {means.map((mean, interval) => (
                  <td key={titles[interval]} className="strong">
                    {mean === null ? '' : percent(mean)}
                  </td>
                ))}
              </tr>
            )}
            {rows.map((row, index) => (
              <Cohort
                key={row.date}
                row={row}
                open={unfinished ? rows.length - 1 - index : -1}
                onOpen={() => open(index, dateLabel(row))}
              />
            ))}
          </tbody>
        </table>
      </section>
    </div>
  )
}

const dateLabel = (row: RetentionRow): string => shortLabels([row.date.slice(0, 10)])[0] ?? row.label

/** `open`: which of its intervals is not over yet. */
function Cohort({ row, open, onOpen }: { row: RetentionRow; open: number; onOpen: () => void }) {
  const size = row.values[0]?.count ?? 0
  const cells = row.values.map(({ count }, index) => ({
    id: `${row.date}+${index}`,
    count,
    open: index === open,
    share: size > 0 ? count / size : 0,
  }))
  return (
    <tr>
      <th scope="row">{dateLabel(row)}</th>
      <td className="table-right">{number(size)}</td>
      {cells.map(({ id, count, share, open: going }) => (
        <td key={id}>
          {size > 0 && (
            <button
              type="button"
              className={`heat ${going ? 'heat-open' : ''}`}
              title={`${number(count)} of ${number(size)}${going ? ', not over yet' : ''}`}
              // Pale enough for ink on it, in both themes.
              style={{ backgroundColor: `color-mix(in srgb, var(--s1) ${Math.round(share * 46)}%, var(--raised))` }}
              onClick={onOpen}
            >
              {percent(share, 0)}
            </button>
          )}
        </td>
      ))}
    </tr>
  )
}

/** Weighted by the size of the groups; an interval that is not over for anybody has none. */
export function meansOf(rows: readonly RetentionRow[], unfinished = false): (number | null)[] {
  const width = Math.max(0, ...rows.map(({ values }) => values.length))
  return Array.from({ length: width }, (_, index) => {
    const over = rows.filter(
      ({ values }, row) => values.length > index && (index === 0 || !unfinished || row + index < rows.length - 1),
    )
    const size = over.reduce((sum, { values }) => sum + (values[0]?.count ?? 0), 0)
    return size === 0 ? null : over.reduce((sum, { values }) => sum + (values[index]?.count ?? 0), 0) / size
  })
}

export function retentionTwin(rows: readonly RetentionRow[]): Twin {
  const width = Math.max(0, ...rows.map(({ values }) => values.length))
  return {
    label: 'Retention',
    head: ['Began', ...Array.from({ length: width }, (_, index) => `Interval ${index}`)],
    rows: rows.map((row) => ({
      key: row.date,
      name: row.date.slice(0, 10),
      cells: row.values.map(({ count }) => count),
    })),
  }
}
