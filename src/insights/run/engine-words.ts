import { ClickHouseFailure, QUERY_WAS_CANCELLED } from '../../engines/clickhouse/index.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'
import { inTheirNames } from '../hogql/our-names.ts'

/**
 * What the engine says about the query, without its own preamble and version and with the client's names. Failures that are not the client's stay
 * as they are.
 */
export function explainedToClient(error: unknown): unknown {
  if (!(error instanceof ClickHouseFailure) || error.code === 0 || error.code === QUERY_WAS_CANCELLED) return error
  if (error.kind === 'unavailable' || error.kind === 'too_heavy') return error
  const words = error.message
    .replace(/^Code: \d+\. /, '')
    .replace(/DB::Exception: /g, '')
    .replace(/:? ?(While|while|In scope|In query) [\s\S]*$/, '')
    .replace(/\s*\([A-Z_]+\)\s*(\(version[\s\S]*)?$/, '')
  return new InvalidQuery(inTheirNames(words).slice(0, 1_000) || 'The query could not be run.', ['query'])
}
