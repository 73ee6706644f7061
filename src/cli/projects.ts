import { askService } from './admin-client.ts'
import { CLIENT_FLAGS, needed, readArguments } from './arguments.ts'
import { UsageError } from './usage-error.ts'

export const projects = {
  usage: 'projects create --name N [--data DIR] [--json]',
  run: async (args: string[]): Promise<number> => {
    const { values, positionals } = readArguments(args, { ...CLIENT_FLAGS, name: { type: 'string' } })
    if (positionals.join(' ') !== 'create') throw new UsageError('use: footfall projects create')
    const body = { name: needed(values.name, '--name') }
    const created = await askService<{ id: number; name: string; api_token: string }>('POST', '/projects', {
      data: values.data,
      body,
    })
    if (values.json) console.log(JSON.stringify(created))
    else console.log(`Project ${created.id} "${created.name}"\nProject API key ${created.api_token}`)
    return 0
  },
}
