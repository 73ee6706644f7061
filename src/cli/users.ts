import { askService } from './admin-client.ts'
import { CLIENT_FLAGS, needed, readArguments } from './arguments.ts'
import { UsageError } from './usage-error.ts'

export const users = {
  usage: 'users sign-in-link --email E [--data DIR] [--json]',
  run: async (args: string[]): Promise<number> => {
    const { values, positionals } = readArguments(args, { ...CLIENT_FLAGS, email: { type: 'string' } })
    if (positionals.join(' ') !== 'sign-in-link') throw new UsageError('use: footfall users sign-in-link')
    const link = await askService<{ url: string; token: string }>('POST', '/sign-in-links', {
      data: values.data,
      body: { email: needed(values.email, '--email') },
    })
    console.log(values.json ? JSON.stringify(link) : `Sign in once, within a day:\n${link.url}`)
    return 0
  },
}
