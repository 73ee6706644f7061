import { type Fragment, sql, str } from '../../../engines/clickhouse-sql.ts'
import type { WebPlan } from './plan.ts'

/** Parts of a path that are ids: numbers, uuids, long hexadecimal texts. */
const IDS = '/([0-9]+|[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}|[0-9a-fA-F]{16,})(/|$)'

/** A path as it is shown. The pattern takes the slash behind an id, so two passes find ids that follow each other. */
export function cleaned(path: Fragment, { cleanPaths }: Pick<WebPlan, 'cleanPaths'>): Fragment {
  if (!cleanPaths) return path
  const pass = (text: Fragment) => sql`replaceRegexpAll(${text}, ${str(IDS)}, '/<id>\\\\2')`
  return pass(pass(path))
}
