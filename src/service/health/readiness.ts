import { within } from '../../lib/in-time.ts'
import type { Services } from '../services.ts'
import { has, needsClickHouse } from '../startup/topology.ts'
import type { Readiness } from './probes.ts'
import { QuestionProbe } from './question-probe.ts'

/**
 * What each role needs to work. Capture needs the log; while PostgreSQL is away it continues with the keys it knows, so
 * a process with only that role stays ready.
 */
export function readiness({ engines, eventLog, pipeline, config }: Services): Readiness {
  const others = needsClickHouse(config)
  const questions = has(config, 'api') && engines.ch ? new QuestionProbe(engines.ch) : null
  return async () => {
    const log = eventLog?.status()
    const [postgres, clickhouse, unanswered] = await Promise.all([
      !others || answers(engines.sql`SELECT 1`),
      !others || answers(engines.ch?.ping()),
      questions?.unansweredFor(PATIENCE_MS) ?? 0,
    ])
    const pipelineRuns = !has(config, 'pipeline') || pipeline?.running === true
    const logIsWell = !log || log.writable
    const missing = [
      ...(postgres ? [] : ['postgres does not answer']),
      ...(clickhouse ? [] : ['clickhouse does not answer']),
      ...(clickhouse && unanswered > 0 ? [`questions are not answered: a small one waits for ${unanswered} s`] : []),
      ...(logIsWell ? [] : [`the log takes no events: ${log.reason}`]),
      ...(pipelineRuns ? [] : ['the pipeline is not running']),
    ]
    return { missing, details: { roles: config.roles } }
  }
}

const PATIENCE_MS = 3_000

/** An engine that hangs counts as unavailable; the probe answers before its own client times out. */
function answers(question: PromiseLike<unknown> | undefined): Promise<boolean> {
  return within(PATIENCE_MS, Promise.resolve(question)).then(
    (answer) => answer !== false,
    () => false,
  )
}
