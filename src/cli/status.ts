import { askService } from './admin-client.ts'
import { CLIENT_FLAGS, readArguments } from './arguments.ts'

interface Status {
  readonly version: string
  readonly node: string
  readonly url: string
  readonly data: string
  readonly disk_free_bytes: number
  readonly pid: number
  readonly started_at: string
  readonly roles: readonly string[]
  readonly postgres: { embedded: boolean; state?: string; restarts?: number }
  readonly clickhouse: { embedded: boolean; state?: string; restarts?: number }
  readonly log: {
    writable: boolean
    reason: string | null
    backlog_bytes: number
    backlog_limit_bytes: number
  } | null
  readonly pipeline: {
    running: boolean
    restarts: number
    stalled_seconds: number
    inserts_owed_to_clickhouse: number
  } | null
  readonly questions: { running: number; waiting: number; refused: number; overran: number } | null
  readonly held_back: readonly {
    reason: string
    address: string | null
    project: number | null
    count: number
    last_at: string
  }[]
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
  const { pipeline, log, questions } = now
  const waiting = log && `${megabytes(log.backlog_bytes)} of ${megabytes(log.backlog_limit_bytes)} waiting`
  const progress =
    pipeline && (pipeline.stalled_seconds > 10 ? `nothing done for ${pipeline.stalled_seconds} s` : 'keeps up')
  return [
    `Footfall ${now.version} (Node ${now.node}) at ${now.url}, process ${now.pid}, since ${now.started_at}, roles ${now.roles.join(', ')}`,
    `data         ${now.data}, ${megabytes(now.disk_free_bytes)} free`,
    `postgres     ${engine(now.postgres)}`,
    `clickhouse   ${engine(now.clickhouse)}`,
    `log          ${log ? `${log.writable ? 'takes events' : `takes no events: ${log.reason}`}, ${waiting}` : 'not here'}`,
    `pipeline     ${pipeline ? `${pipeline.running ? 'runs' : 'is down'}, ${progress}, ${pipeline.inserts_owed_to_clickhouse} inserts on their way` : 'not here'}`,
    `questions    ${questions ? `${questions.running} running, ${questions.waiting} waiting, ${questions.refused} refused, ${questions.overran} ended for running too long` : 'not here'}`,
    `dead letters ${now.dead_letters}`,
    ...now.held_back.map(
      ({ reason, address, project, count, last_at }) =>
        `held back    ${who(address, project)}: ${reason}, ${count} times in the last hour, last at ${last_at}`,
    ),
  ].join('\n')
}

function who(address: string | null, project: number | null): string {
  const parts = [address, project === null ? null : `project ${project}`].filter((part) => part !== null)
  return parts.length === 0 ? 'unknown clients' : parts.join(', ')
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MB`
