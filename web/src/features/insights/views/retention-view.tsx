import { type ReactNode, useCallback, useMemo, useState } from 'react'
import type { RetentionRow } from '../../../api/contract.ts'
import { number, percent } from '../../../lib/format.ts'
import { breakdownName, partName } from '../../../lib/names.ts'
import { colourIndexes, cssColour } from '../../../lib/series-colours.ts'
import { Chart } from '../../../ui/chart.tsx'
import { lines } from '../../../ui/chart-options.ts'
import { Icon } from '../../../ui/icon.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { usePanels } from '../../panels/index.ts'
import type { TableData } from '../data-table.tsx'
import { fitting, LeftOut, useRoom } from '../room.tsx'
import { shortLabels } from './labels.ts'
import { type Hidden, Legend, useHidden } from './legend.tsx'
import type { ViewProps } from './types.ts'
import '../../../ui/fades.css'
import '../../../ui/table.css'
import './retention.css'
import './views.css'

interface Group {
  /** The value of the breakdown, as it was answered; undefined without one. */
  value: string | undefined
  name: string
  rows: readonly RetentionRow[]
}

/** Several values stand in one text. */
const valueName = ({ breakdown_value = '', breakdown_name }: Partial<RetentionRow> = {}): string =>
  breakdown_name === undefined
    ? breakdownName(breakdown_value.split('::'))
    : partName({ breakdown_value, breakdown_name })

/** The tables of a breakdown's values follow each other. */
function groupsOf(rows: readonly RetentionRow[]): Group[] {
  const groups = new Map<string | undefined, RetentionRow[]>()
  for (const row of rows) groups.set(row.breakdown_value, [...(groups.get(row.breakdown_value) ?? []), row])
  return [...groups].map(([value, own]) => ({
    value,
    name: value === undefined ? 'Returned' : valueName(own[0]),
    rows: own,
  }))
}

export function RetentionView({ draft, node, answer, height, compact }: ViewProps<'RetentionQuery'>) {
  const groups = useMemo(() => groupsOf(answer.results), [answer.results])
  const panels = usePanels()
  const room = useRoom()
  /** The latest interval of each row is in progress. */
  const unfinished = draft.to === undefined
  const period = draft.period ?? 'Day'
  const hidden = useHidden(groups.map(({ name }) => name))
  const option = useCallback(() => curves(groups, hidden, unfinished, period), [groups, hidden, period, unfinished])
  if (answer.results.every(({ values }) => (values[0]?.count ?? 0) === 0))
    return (
      <div className="view-empty" style={{ minHeight: height }}>
        <EmptyState icon="retention" title="Nobody to follow in this period">
          Choose an event that people did in these {period.toLowerCase()}s, or a longer range.
        </EmptyState>
      </div>
    )
  const several = groups.length > 1 || groups[0]?.value !== undefined
  const most = Math.max(...answer.results.map(({ values }) => values.length))
  const width = room
    ? Math.max(1, Math.min(most, Math.floor((room.width - (room.width > NARROW ? NAMES : NAMES / 2)) / CELL)))
    : most
  const lineCount = several ? groups.length : answer.results.length
  const shown = room ? fitting(lineCount, room.height - LINE, LINE) : lineCount
  const titles = Array.from({ length: width }, (_, index) => `${period} ${index}`)
  const open = ({ rows, value, name }: Group, row: number, after: number) => {
    const label = dateLabel(rows[row] as RetentionRow, period)
    const who = `${several ? `${name}, started` : 'Started'} ${label}`
    panels.open({
      to: 'people',
      title: after === 0 ? who : `${who}, returned in ${period.toLowerCase()} ${after}`,
      source: {
        kind: 'InsightActorsQuery',
        source: node,
        interval: row,
        includeRecordings: true,
        ...(after > 0 ? { day: after } : {}),
        ...(value === undefined ? {} : { breakdown: value }),
      },
    })
  }
  const shared = { titles, unfinished, period, compact, open }
  return (
    <div className="view">
      {!compact && (
        <Chart
          label={`Share of people who returned, by ${period.toLowerCase()}`}
          height={Math.min(height, several ? 280 : 220)}
          option={option}
        />
      )}
      {several && !compact && (
        <Legend
          items={groups.map(({ name }, index) => ({ name, colour: coloursOf(groups)[index] ?? 0 }))}
          hidden={hidden}
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
                {several ? 'Value' : 'Started'}
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
            {several
              ? groups
                  .slice(0, shown)
                  .map((group, index) => (
                    <ValueRows key={group.value} group={group} colour={coloursOf(groups)[index] ?? 0} {...shared} />
                  ))
              : groups.map((group) => (
                  <StartRows key="all" group={group} average={!compact} shown={shown} {...shared} />
                ))}
          </tbody>
        </table>
      </section>
      <LeftOut count={lineCount - shown} />
    </div>
  )
}

interface Shared {
  titles: readonly string[]
  unfinished: boolean
  period: string
  compact: boolean
  open: (group: Group, row: number, after: number) => void
}

/** One line a value of the breakdown, which opens into its start dates. */
function ValueRows({ group, colour, ...shared }: Shared & { group: Group; colour: number }) {
  const [unfolded, setUnfolded] = useState(false)
  const { compact, unfinished, titles } = shared
  const mark = <span className="data-table-dot" style={{ background: cssColour(colour) }} />
  return (
    <>
      <Average
        rows={group.rows}
        unfinished={unfinished}
        titles={titles}
        name={
          compact ? (
            <span className="row">
              {mark}
              {group.name}
            </span>
          ) : (
            <button
              type="button"
              className="retention-unfold"
              aria-expanded={unfolded}
              onClick={() => setUnfolded(!unfolded)}
            >
              <Icon name={unfolded ? 'down' : 'right'} size={14} className="faint" />
              {mark}
              <span className="truncate">{group.name}</span>
            </button>
          )
        }
      />
      {unfolded && <StartRows group={group} average={false} {...shared} />}
    </>
  )
}

function StartRows({
  group,
  average,
  shown,
  titles,
  unfinished,
  period,
  open,
}: Shared & { group: Group; average: boolean; shown?: number }) {
  return (
    <>
      {average && <Average rows={group.rows} unfinished={unfinished} titles={titles} name="Average" />}
      {group.rows.slice(0, shown).map((row, index) => (
        <Cohort
          key={row.date}
          row={{ ...row, values: row.values.slice(0, titles.length) }}
          label={dateLabel(row, period)}
          open={unfinished ? group.rows.length - 1 - index : -1}
          onOpen={(after) => open(group, index, after)}
        />
      ))}
    </>
  )
}

const coloursOf = (groups: readonly Group[]): number[] =>
  groups[0]?.value === undefined ? groups.map(() => 0) : colourIndexes(groups.map(({ name }) => name))

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

function curves(groups: readonly Group[], hidden: Hidden, unfinished: boolean, period: string) {
  const colours = coloursOf(groups)
  const means = groups.map(({ rows }) => meansOf(rows, unfinished))
  return lines({
    labels: (means[0] ?? []).map((_, index) => `${period} ${index}`),
    series: groups.map(({ name }, index) => ({
      name,
      data: (hidden.has(name) ? [] : (means[index] ?? [])).map((mean) =>
        mean === null ? null : Math.round(mean * 1000) / 10,
      ),
      colour: `--s${(colours[index] ?? 0) + 1}`,
    })),
    format: (value) => `${number(value)}%`,
    max: 100,
  })
}

function Average({
  rows,
  unfinished,
  titles,
  name,
}: {
  rows: readonly RetentionRow[]
  unfinished: boolean
  titles: readonly string[]
  name: ReactNode
}) {
  return (
    <tr className="retention-average">
      <th scope="row" className="retention-name">
        {name}
      </th>
      <td className="table-right">{number(rows.reduce((sum, { values }) => sum + (values[0]?.count ?? 0), 0))}</td>
      {meansOf(rows, unfinished)
        .slice(0, titles.length)
        .map((mean, interval) => (
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
  const several = rows.some(({ breakdown_value }) => breakdown_value !== undefined)
  return {
    label: 'Retention',
    head: [
      'Started',
      ...(several ? ['Value'] : []),
      ...Array.from({ length: width }, (_, index) => `Interval ${index}`),
    ],
    rows: rows.map((row) => ({
      key: `${row.breakdown_value}/${row.date}`,
      name: row.date.slice(0, 10),
      cells: [...(several ? [valueName(row)] : []), ...row.values.map(({ count }) => count)],
    })),
  }
}
