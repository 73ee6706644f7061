import { askService } from './admin-client.ts'
import { CLIENT_FLAGS, readArguments } from './arguments.ts'
import { UsageError } from './usage-error.ts'

interface Deletion {
  readonly id: number
  readonly project_id: number
  readonly person_uuid: string
  readonly requested_by: string
  readonly requested_at: string
  readonly scheduled_for: string
  readonly status: string
  readonly ran_at: string | null
  readonly events_deleted: number | null
  readonly verified: boolean | null
  readonly error: string | null
}

export const deletions = {
  usage: 'deletions list|run [--data DIR] [--json]',
  run: async (args: string[]): Promise<number> => {
    const { values, positionals } = readArguments(args, CLIENT_FLAGS)
    const [verb, ...rest] = positionals
    if ((verb !== 'list' && verb !== 'run') || rest.length > 0)
      throw new UsageError('say list (requests and receipts) or run (do all pending ones now)')
    const found =
      verb === 'list'
        ? await askService<Deletion[]>('GET', '/deletions', { data: values.data })
        : await askService<Deletion[]>('POST', '/deletions/run', { data: values.data, body: {} })
    if (values.json) console.log(JSON.stringify(found))
    else if (found.length === 0)
      console.log(verb === 'list' ? 'No deletion was ever asked for.' : 'Nothing was pending.')
    else for (const deletion of found) console.log(inWords(deletion))
    return 0
  },
}

const inWords = (deletion: Deletion) =>
  `#${deletion.id} project ${deletion.project_id}, person ${deletion.person_uuid}, asked for by ${deletion.requested_by} at ${deletion.requested_at}: ${
    deletion.status === 'done'
      ? `done at ${deletion.ran_at}, ${deletion.events_deleted} events removed, ${deletion.verified ? 'none left' : 'not verified'}`
      : `pending, to run at ${deletion.scheduled_for}${deletion.error ? ` (last try: ${deletion.error})` : ''}`
  }`
