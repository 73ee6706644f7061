import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { HeatmapFrame, HeatmapPoint, Project, ScrollDepth } from '../../api/contract.ts'
import { useProjectParams } from '../../api/project.tsx'
import { heatmap, heatmapFrame, heatmapWidths } from '../../api/queries.ts'
import { dayOnly, number, percent, plural } from '../../lib/format.ts'
import { dimmedWhile, EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx'
import { useFrameEvents } from './frame.tsx'
import { askedOf, commonWidth, inBand, pageName, TYPE_NAMES } from './question.ts'
import { BANDS, type HeatmapSearch, type HeatmapType } from './search.ts'
import { type Heat, Sheet } from './sheet.tsx'

const DEFAULT_WIDTH = 1_280

/** The heatmap of one page: its sheet, and the same numbers as a table. */
export function PageHeat({ project, page, search }: { project: Project; page: string; search: HeatmapSearch }) {
  const asked = askedOf(search, page)
  const widths = useQuery(heatmapWidths(project.id, asked))
  const width = commonWidth(widths.data?.results ?? [], search.width) ?? defaultWidth(search.width)
  const heat = useQuery(
    heatmap(project.id, {
      ...asked,
      ...inBand(search.width),
      aggregation: search.visitors ? 'unique_visitors' : 'total_count',
    }),
  )
  const found = useQuery({ ...heatmapFrame(project.id, { url: page, width }), enabled: !widths.isPending })
  const frame = found.data?.frame ?? null
  const events = useFrameEvents(project.id, frame)
  const error = widths.error ?? heat.error
  if (error) return <ErrorState error={error} retry={() => void heat.refetch()} />
  if (heat.isPending || widths.isPending || found.isPending || events.isLoading)
    return <Skeleton height="60vh" radius={8} />
  const type = search.type ?? 'click'
  const shown = heatOf(heat.data?.results ?? [])
  const many = totalOf(shown)
  if (many === 0) return <Nothing type={type} page={page} />
  const isShown = frame !== null && (events.data?.length ?? 0) > 1
  return (
    <div {...dimmedWhile(heat.isPlaceholderData)}>
      <Facts search={search} many={many} frame={isShown ? frame : null} zone={project.timezone} />
      <Sheet
        heat={shown}
        frame={frame}
        events={events.data}
        width={isShown ? frame.width : width}
        label={`${TYPE_NAMES[type].label} on ${pageName(page)}`}
      />
      <HeatTable heat={shown} />
    </div>
  )
}

const defaultWidth = (band: HeatmapSearch['width']): number =>
  band === undefined ? DEFAULT_WIDTH : ([390, 768, DEFAULT_WIDTH][BANDS.indexOf(band)] ?? DEFAULT_WIDTH)

/** What is there, which may still be the answer to the question before. */
const heatOf = (results: readonly (HeatmapPoint | ScrollDepth)[]): Heat => ({
  points: results.filter((each) => 'pointer_y' in each),
  depths: results.filter((each) => 'scroll_depth_bucket' in each),
})

const totalOf = ({ points, depths }: Heat): number =>
  depths[0]?.cumulative_count ?? points.reduce((sum, { count }) => sum + count, 0)

function Facts({
  search: { type = 'click', visitors },
  many,
  frame,
  zone,
}: {
  search: HeatmapSearch
  many: number
  frame: HeatmapFrame | null
  zone: string
}) {
  const params = useProjectParams()
  const { one, many: all } = TYPE_NAMES[type]
  return (
    <div className="heatmap-line-of-facts small">
      <span className="strong">{visitors ? `${number(many)} visitors by place` : plural(many, one, all)}</span>
      {type !== 'scrolldepth' && (
        <span className="heatmap-legend soft">
          few <span className="heatmap-legend-scale" /> many
        </span>
      )}
      {frame ? (
        <span className="soft">
          The page as recorded on {dayOnly(frame.end, zone)}, {frame.width} px wide.{' '}
          <Link to="/project/$projectId/recordings/$recordingId" params={{ ...params, recordingId: frame.session_id }}>
            Open recording
          </Link>
        </span>
      ) : (
        <span className="soft">
          No recording shows this page, so there is an empty sheet beneath: record sessions to see the page itself.
        </span>
      )}
    </div>
  )
}

const Nothing = ({ type, page }: { type: HeatmapType; page: string }) => (
  <EmptyState icon="target" title={`No ${TYPE_NAMES[type].many} on ${pageName(page)}`}>
    Nothing was recorded for this page with these widths and dates. Choose a longer period, other widths or another
    page.
  </EmptyState>
)

const ROWS = 20

/** The same in numbers. */
function HeatTable({ heat: { points, depths } }: { heat: Heat }) {
  const all = depths[0]?.cumulative_count ?? 0
  return (
    <details className="heatmap-table">
      <summary>As a table</summary>
      {depths.length > 0 ? (
        <table className="table table-dense">
          <caption className="unseen">How far the page was seen</caption>
          <thead>
            <tr>
              <th scope="col">From the top</th>
              <th scope="col">Saw it down to here</th>
              <th scope="col">Share</th>
            </tr>
          </thead>
          <tbody>
            {depths.map(({ scroll_depth_bucket: bucket, cumulative_count: count }) => (
              <tr key={bucket}>
                <td>{number(bucket)} px</td>
                <td>{number(count)}</td>
                <td>{percent(count / all, 1)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <table className="table table-dense">
          <caption className="unseen">The hottest places</caption>
          <thead>
            <tr>
              <th scope="col">From the top</th>
              <th scope="col">From the left</th>
              <th scope="col">Count</th>
            </tr>
          </thead>
          <tbody>
            {points
              .slice(0, ROWS)
              .map(({ pointer_y: y, pointer_relative_x: x, pointer_target_fixed: fixed, count }) => (
                <tr key={`${y} ${x} ${fixed}`}>
                  <td>
                    {number(y)} px{fixed ? ' of the window' : ''}
                  </td>
                  <td>{percent(x, 0)}</td>
                  <td>{number(count)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      )}
    </details>
  )
}
