import { pause } from '../lib/pause.ts'
import type { Readiness } from './probes.ts'
import { QuestionProbe } from './question-probe.ts'
import type { House } from './services.ts'
import { has, needsClickHouse } from './topology.ts'

/**
 * What each role needs to do its work. Capture needs the log; while PostgreSQL is away it goes on with the keys it knows, so where it is
 * alone that is no reason to send its clients elsewhere.
 */
export function readiness({ engines, eventLog, pipeline, config }: House): Readiness {
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

/** An engine that hangs is as good as none: whoever asks is told so before he gives up on us. */
function answers(question: PromiseLike<unknown> | undefined): Promise<boolean> {
  const late = pause(PATIENCE_MS).then(() => false)
  const asked = Promise.resolve(question).then(
    (answer) => answer !== false,
    () => false,
  )
  return Promise.race([asked, late])
}
