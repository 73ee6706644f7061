/** Looks for a page in recordings. */
import type { HeatmapFrame } from '../contract/resources/heatmap.ts'
import { sql, str, strings, uint } from '../engines/clickhouse/index.ts'
import { StatementRunner } from '../insights/index.ts'
import { chooseFrame, type Mark, pageOf } from './choose-frame.ts'
import type { HeatmapContext } from './question.ts'

/** The newest recordings that show the page: so many, and so many bytes of them, are looked at. */
const MOST_RECORDINGS = 40
const MOST_BYTES = 64 * 1024 * 1024

export async function findFrame(
  { insight, signal }: HeatmapContext,
  wanted: { readonly url: string; readonly width: number },
): Promise<HeatmapFrame | null> {
  const runner = new StatementRunner(insight.clickhouse, signal)
  const project = uint(insight.project.id)
  const found = await runner.ask<{ session_id: string; bytes: number }>(sql`
    SELECT session_id, toFloat64(sum(bytes)) AS bytes FROM recording_chunks
    WHERE project_id = ${project} AND expires_at > now()
    GROUP BY session_id
    HAVING max(has_full_snapshot) = 1
      AND max(arrayExists(url -> cutQueryStringAndFragment(url) = ${str(pageOf(wanted.url))}, urls))
    ORDER BY max(received_at) DESC LIMIT ${uint(MOST_RECORDINGS)}`)
  const sessions = upTo(found, MOST_BYTES)
  if (sessions.length === 0) return null
  const marks = await runner.ask<Mark>(sql`
    SELECT session_id, window_id, toFloat64(first_timestamp + line.1) AS at, JSONExtractInt(line.2, 'type') AS type,
      multiIf(type = 4, JSONExtractString(line.2, 'data', 'href'),
        type = 5, JSONExtractString(line.2, 'data', 'payload', 'href'), '') AS href,
      toInt32(JSONExtractInt(line.2, 'data', 'width')) AS width, toInt32(JSONExtractInt(line.2, 'data', 'height')) AS height
    FROM (
      SELECT session_id, window_id, first_timestamp,
        arrayJoin(arrayZip(offsets, arrayResize(splitByChar('\n', events), length(offsets), ''))) AS line
      FROM recording_chunks WHERE project_id = ${project} AND session_id IN ${strings(sessions)} AND expires_at > now()
    )
    WHERE type = 2 OR (type IN (4, 5) AND href != '')
    ORDER BY session_id, window_id, at, type DESC LIMIT 100000`)
  return chooseFrame(marks, wanted)
}

/** At least one. */
function upTo(found: readonly { readonly session_id: string; readonly bytes: number }[], most: number): string[] {
  let bytes = 0
  const beyond = found.findIndex((each, at) => {
    bytes += each.bytes
    return bytes > most && at > 0
  })
  return found.slice(0, beyond < 0 ? found.length : beyond).map(({ session_id }) => session_id)
}
