import { backup } from './backup.ts'
import { cluster } from './cluster.ts'
import { deletions } from './deletions.ts'
import { demo } from './demo.ts'
import { doctor } from './doctor.ts'
import { exportEvents } from './export.ts'
import { importEvents } from './import.ts'
import { keys } from './keys.ts'
import { projects } from './projects.ts'
import { restore } from './restore.ts'
import { serve } from './serve.ts'
import { status } from './status.ts'
import { UsageError } from './usage-error.ts'
import { users } from './users.ts'

/** The commands, one file each. A command gets the arguments after its name and returns the exit status. */
interface Command {
  readonly usage: string
  /** The text of `--help`. */
  readonly about?: string
  run(args: string[]): Promise<number>
}

const COMMANDS: Record<string, Command> = {
  serve,
  status,
  keys,
  projects,
  demo,
  users,
  deletions,
  doctor,
  cluster,
  backup,
  restore,
  export: exportEvents,
  import: importEvents,
}

export async function runCommand([name = 'help', ...args]: string[]): Promise<number> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command) {
    const asked = name === 'help' || name === '--help' || name === '-h'
    if (asked) console.log(help())
    else console.error(`footfall: there is no command "${name}".\n\n${help()}`)
    return asked ? 0 : 2
  }
  if (args.includes('--help') || args.includes('-h')) {
    console.log(`Usage: footfall ${command.usage}${command.about ? `\n\n${command.about}` : ''}`)
    return 0
  }
  try {
    return await command.run(args)
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(`footfall ${name}: ${error.message}\n\nUsage: ${command.usage}`)
      return 2
    }
    console.error(`footfall ${name}: ${(error as Error).message}`)
    return 1
  }
}

const help = () =>
  `Usage: footfall <command>\n\n${Object.values(COMMANDS)
    .map(({ usage }) => `  ${usage}`)
    .join('\n')}`
