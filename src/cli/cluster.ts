import { createLogger } from '../lib/logger.ts'
import { type CheckResult, checkServers, loadConfig, makeTablesEverywhere } from '../service/index.ts'
import { readArguments } from './arguments.ts'
import { UsageError } from './usage-error.ts'

const FLAGS = { json: { type: 'boolean' }, 'stop-a-replica': { type: 'boolean' } } as const

/** Exit status 0 when no check failed, for scripts. */
export const cluster = {
  usage: 'cluster check [--json] [--stop-a-replica] | cluster tables',
  about: `check tests the servers that the settings name (FOOTFALL_CLICKHOUSE_URL and FOOTFALL_CLICKHOUSE_CLUSTER, FOOTFALL_NATS_URL,
FOOTFALL_POSTGRES_URL) before Footfall runs on them: versions, clocks, macros, Keeper, replication, repeated inserts,
distributed answers, mutations, and settings that lost others their data. It writes to a scratch database, a scratch
stream and a scratch schema, and removes them. --stop-a-replica asks you to stop a ClickHouse server and start it again.

tables makes the tables on ClickHouse servers that were added to the cluster, and changes nothing on the others.`,
  run: async (args: string[]): Promise<number> => {
    const { values, positionals } = readArguments(args, FLAGS)
    const [what, ...rest] = positionals
    if (rest.length > 0 || (what !== 'check' && what !== 'tables'))
      throw new UsageError('say what to do: check or tables')
    const config = loadConfig()
    if (what === 'tables') return await makeTables(config)
    const tell = (what: string) => console.error(what)
    const results = await checkServers(config, {
      log: createLogger('silent'),
      onResult: (result) => {
        if (!values.json) console.log(inWords(result))
      },
      stopped: values['stop-a-replica'] ? { tell } : undefined,
    })
    console.log(values.json ? JSON.stringify(results, null, 2) : `\n${summary(results)}`)
    return results.some(({ outcome }) => outcome === 'failed') ? 1 : 0
  },
}

async function makeTables(config: Parameters<typeof makeTablesEverywhere>[0]): Promise<number> {
  const names = await makeTablesEverywhere(config, createLogger('silent'))
  console.log(`${names.length} tables are on every server of the cluster: ${names.join(', ')}`)
  return 0
}

const LABELS = { passed: 'ok  ', failed: 'FAIL', warning: 'warn', skipped: 'skip' } as const

function inWords({ about, check, outcome, detail, todo }: CheckResult): string {
  const line = `${LABELS[outcome]}  ${about.padEnd(10)}  ${check}: ${detail}`
  return todo === undefined ? line : `${line}\n${' '.repeat(18)}-> ${todo}`
}

function summary(results: readonly CheckResult[]): string {
  const count = (outcome: CheckResult['outcome']) => results.filter((result) => result.outcome === outcome).length
  const parts = (['passed', 'failed', 'warning', 'skipped'] as const).map((outcome) => `${count(outcome)} ${outcome}`)
  return parts.join(', ')
}
