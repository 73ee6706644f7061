import { askService } from './admin-client.ts'
import { CLIENT_FLAGS, readArguments } from './arguments.ts'

interface Status {
  readonly url: string
  readonly pid: number
  readonly started_at: string
  readonly roles: readonly string[]
  readonly postgres: { embedded: boolean; state?: string; restarts?: number }
  readonly clickhouse: { embedded: boolean; state?: string; restarts?: number }
  readonly log: { writable: boolean; reason: string | null; backlog_bytes: number }
  readonly pipeline: { running: boolean; restarts: number; inserts_owed_to_clickhouse: number } | null
  readonly dead_letters: number
}

export const status = {
  usage: 'status [--data DIR] [--json]',
  run: async (args: string[]): Promise<number> => {
    const { values } = readArguments(args, CLIENT_FLAGS)
    const now = await askService<Status>('GET', '/status', { data: values.data })
    console.log(values.json ? JSON.stringify(now, null, 2) : inWords(now))
    return 0
  },
}

function inWords(now: Status): string {
  const engine = ({ embedded, state, restarts }: Status['postgres']) =>
    embedded ? `embedded, ${state}, restarted ${restarts} times` : 'a server'
  const { pipeline } = now
  return [
    `Footfall at ${now.url}, process ${now.pid}, since ${now.started_at}, roles ${now.roles.join(', ')}`,
    `postgres     ${engine(now.postgres)}`,
    `clickhouse   ${engine(now.clickhouse)}`,
    `log          ${now.log.writable ? 'takes events' : `takes no events: ${now.log.reason}`}, ${now.log.backlog_bytes} bytes waiting`,
    `pipeline     ${pipeline ? `${pipeline.running ? 'runs' : 'is down'}, ${pipeline.inserts_owed_to_clickhouse} inserts on their way` : 'not here'}`,
    `dead letters ${now.dead_letters}`,
  ].join('\n')
}
