/** The rows of `heatmaps` that a batch of events brings. */
import { HEATMAP_EVENT } from './heatmap-points.ts'
import { clickhouseTime, type EventRow } from './rows.ts'

/** The rows that are stored as events: all but those that carry nothing but points. */
export const storedAsEvents = (rows: readonly EventRow[]): readonly EventRow[] =>
  rows.some(isOnlyPoints) ? rows.filter((row) => !isOnlyPoints(row)) : rows

const isOnlyPoints = ({ event }: EventRow): boolean => event === HEATMAP_EVENT

/** Undefined when no event of the batch has points. */
export function heatmapRowsAsNdjson(rows: readonly EventRow[]): Buffer | undefined {
  const lines: string[] = []
  for (const row of rows) if (row.heatmap !== undefined && row.heatmap.length > 0) addLines(lines, row)
  return lines.length === 0 ? undefined : Buffer.from(lines.join(''))
}

function addLines(lines: string[], row: EventRow): void {
  const shared = {
    project_id: row.projectId,
    timestamp: clickhouseTime(row.timestamp),
    received_at: clickhouseTime(row.receivedAt),
    distinct_id: row.distinctId,
    person_id: row.personId,
    session_id: row.sessionId,
    is_bot: row.properties.$is_bot === true ? 1 : 0,
  }
  const head = JSON.stringify(shared).slice(0, -1)
  for (const { url, type, x, y, fixed, width, height } of row.heatmap ?? [])
    lines.push(
      `${head},"type":"${type}","url":${JSON.stringify(url)},"x":${x},"y":${y},"target_fixed":${fixed ? 1 : 0},` +
        `"viewport_width":${width},"viewport_height":${height}}\n`,
    )
}
