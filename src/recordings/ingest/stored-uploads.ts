import { type ClickHouse, Param, sql, strings, uint } from '../../engines/clickhouse/index.ts'
import { groupBy } from '../../lib/group-by.ts'
import type { AcceptedUpload } from './accept-upload.ts'

type Upload = Pick<AcceptedUpload, 'project' | 'sessionId' | 'hash'>

export const uploadKey = ({ project, sessionId, hash }: Upload): string => `${project} ${sessionId} ${hash}`

/**
 * Which of these uploads were stored before the given position of the log. Rows from there on were inserted by this
 * runner before a crash, and are sent again under their old token.
 */
export async function storedUploads(
  clickhouse: ClickHouse,
  uploads: readonly Upload[],
  before: number,
): Promise<Set<string>> {
  const stored = new Set<string>()
  for (const [project, some] of groupBy(uploads, ({ project }) => project)) {
    const { rows } = await clickhouse.query<{ session_id: string; hash: string }>(sql`
      SELECT DISTINCT session_id, toString(hash) AS hash FROM recording_chunks
      WHERE project_id = ${uint(project)} AND session_id IN ${strings([...new Set(some.map(({ sessionId }) => sessionId))])}
        AND hash IN ${new Param(
          'Array(UInt64)',
          some.map(({ hash }) => hash),
        )} AND position < ${uint(before)}`)
    for (const { session_id, hash } of rows)
      stored.add(uploadKey({ project, sessionId: session_id, hash: BigInt(hash) }))
  }
  return stored
}
