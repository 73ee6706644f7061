import { useCallback, useMemo } from 'react'
import { exact, short, valueText } from '../../../lib/format.ts'
import { colourIndexes } from '../../../lib/series-colours.ts'
import { Chart } from '../../../ui/chart.tsx'
import { bars, lines } from '../../../ui/chart-options.ts'
import { EmptyState } from '../../../ui/states.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { fitting, LeftOut, useRoom } from '../room.tsx'
import { shortLabels } from '../views/labels.ts'
import { Legend } from '../views/legend.tsx'
import { Numbers } from '../views/totals.tsx'
import type { ViewProps } from '../views/types.ts'
import { figuresOf, plotOf, type SqlPlot, type SqlRow } from './shape.ts'
import { sqlDisplayOf, takesDates } from './sql-draft.ts'
import '../views/views.css'

/** The height of a line of small print and the room below it. */
const NOTE = 34
const _NONE: readonly string[] = []

/**
 * The rows of an answer: as a table, or drawn, with the table below. Rows that cannot be drawn are a table whatever was
 * chosen.
 */
export function SqlView({ draft, answer, height: given, compact }: ViewProps<'HogQLQuery'>) {
  const { results, columns } = answer
  const display = sqlDisplayOf(draft)
  const ownDates = compact && draft.from !== undefined && !takesDates(draft.sql)
  const height = ownDates ? given - NOTE : given
  const drawn = display === 'line' || display === 'bar'
  const plot = useMemo(() => (drawn ? plotOf(columns, results) : null), [drawn, columns, results])
  const figures = display === 'number' ? figuresOf(columns, results) : null
  if (results.length === 0)
    return (
      <EmptyState icon="search" title="No rows">
        The query returned no rows. Try a longer period or fewer conditions.
      </EmptyState>
    )
  return (
    <div className="view">
      {ownDates && <p className="tiny soft">Own dates: this query does not use {'{filters}'}.</p>}
      {figures && (
        <Numbers
          series={figures.map(({ name, value }) => ({ action: null, label: name, count: value, data: [] }))}
          height={compact ? height : 160}
          open={() => {}}
          format={(value) => (Number.isInteger(value) ? short(value) : exact(value))}
        />
      )}
      {plot && <Picture plot={plot} bar={display === 'bar'} height={height} compact={compact} />}
      {(figures ? !compact && figures.length < columns.length : !compact || !plot) && (
        <Rows columns={columns} rows={results} height={compact ? height : 560} />
      )}
    </div>
  )
}

function Picture({ plot, bar, height, compact }: { plot: SqlPlot; bar: boolean; height: number; compact: boolean }) {
  const { along, series, parts, leftOut } = plot
  const colours = colourIndexes(series.map(({ name }) => name))
  const option = useCallback(() => {
    const marks = colourIndexes(plot.series.map(({ name }) => name))
    const chart = {
      labels: shortLabels(plot.labels),
      series: plot.series.map(({ name, data }, index) => ({ name, data, colour: `--s${(marks[index] ?? 0) + 1}` })),
    }
    const gaps = plot.series.some(({ data }) => data.includes(null))
    return bar ? bars(chart, plot.parts) : lines({ ...chart, gaps })
  }, [plot, bar])
  return (
    <>
      <Chart
        label={`${series.map(({ name }) => name).join(', ')} by ${along}`}
        height={compact && series.length > 1 ? height - 28 : height}
        option={option}
      />
      <Legend items={series.map(({ name }, index) => ({ name, colour: colours[index] ?? 0 }))} />
      {leftOut > 0 && (
        <p className="tiny soft">
          The {series.length} {parts ? 'largest' : 'first'} are drawn, {leftOut} more are in the table.
        </p>
      )}
    </>
  )
}

function Rows({ columns, rows, height }: { columns: readonly string[]; rows: readonly SqlRow[]; height: number }) {
  const room = useRoom()
  const shown = room ? rows.slice(0, fitting(rows.length, height - LINE, LINE)) : rows
  const names = room ? columns.slice(0, Math.max(1, Math.floor(room.width / COLUMN))) : columns
  return (
    <>
      <Table
        label="Result"
        dense
        columns={columnsOf(names, shown).map((column) => (room ? { ...column, width: 'auto' } : column))}
        rows={shown}
        rowKey={(_, index) => String(index)}
        height={height}
      />
      <LeftOut count={rows.length - shown.length} />
    </>
  )
}

/** In a tile. */
const LINE = 34
const COLUMN = 96

/** Numbers stand to the right when all of a column are. */
function columnsOf(names: readonly string[], rows: readonly SqlRow[]): Column<SqlRow>[] {
  return names.map((name, index) => {
    const numeric = rows.slice(0, 100).every((row) => typeof row[index] === 'number' || row[index] === null)
    return {
      id: `${index}/${name}`,
      header: name,
      ...(numeric ? { align: 'right' as const } : {}),
      cell: (row) => <Cell value={row[index]} />,
    }
  })
}

function Cell({ value }: { value: unknown }) {
  if (value === null) return <span className="faint">null</span>
  if (typeof value === 'number') return exact(value)
  const text = valueText(value)
  return <span title={text.length > 60 ? text : undefined}>{text}</span>
}
