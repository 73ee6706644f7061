import { askService } from './admin-client.ts'
import { CLIENT_FLAGS, needed, projectNumber, readArguments } from './arguments.ts'
import { UsageError } from './usage-error.ts'

const FLAGS = {
  ...CLIENT_FLAGS,
  email: { type: 'string' },
  label: { type: 'string' },
  scopes: { type: 'string' },
  project: { type: 'string' },
} as const

export const keys = {
  usage: 'keys create --email E --label L --scopes a,b [--project N] [--data DIR] [--json]',
  run: async (args: string[]): Promise<number> => {
    const { values, positionals } = readArguments(args, FLAGS)
    if (positionals.join(' ') !== 'create') throw new UsageError('use: footfall keys create')
    const project = projectNumber(values.project)
    const created = await askService<{ value: string; email: string; scopes: string[] }>('POST', '/keys', {
      data: values.data,
      body: {
        email: needed(values.email, '--email'),
        label: needed(values.label, '--label'),
        scopes: needed(values.scopes, '--scopes')
          .split(',')
          .map((scope) => scope.trim()),
        ...(project === undefined ? {} : { project }),
      },
    })
    if (values.json) console.log(JSON.stringify(created))
    else
      console.log(
        `Personal API key for ${created.email} (${created.scopes.join(', ')}), shown only now:\n${created.value}`,
      )
    return 0
  },
}
