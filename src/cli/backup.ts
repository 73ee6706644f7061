import path from 'node:path'
import { type Moment, takeBackup } from '../backup/index.ts'
import { createLogger } from '../lib/logger.ts'
import { yieldBy } from '../lib/priority.ts'
import { holdFromService } from './admin-client.ts'
import { CLIENT_FLAGS, readArguments } from './arguments.ts'
import { inBytes, ProgressLine } from './progress.ts'
import { UsageError } from './usage-error.ts'

/**
 * Runs in this process and not in the service: it costs the service no time, and the files belong to the user who runs
 * the command.
 */
export const backup = {
  usage: 'backup DIR [--data DIR] [--json]',
  about: `Writes everything of the running service to DIR: events, recordings, persons, projects, users, keys, insights, and what
was accepted but is not processed yet. DIR must not exist yet, or be empty. Every event that was acknowledged before the
backup began is in it, exactly once. The service keeps running meanwhile. \`footfall restore DIR\` restores it.`,
  run: async (args: string[]): Promise<number> => {
    const { values, positionals } = readArguments(args, CLIENT_FLAGS)
    const [dir, ...rest] = positionals
    if (dir === undefined || rest.length > 0) throw new UsageError('name one folder: the backup is written to it')
    const folder = path.resolve(dir)
    const progress = new ProgressLine()
    // The service comes first.
    yieldBy(5)
    const { held: moment, gone, release } = await holdFromService<Moment>('/backup', { data: values.data })
    const calledOff = new AbortController()
    void gone.then(() =>
      calledOff.abort(new Error('the service has ended, and with it the moment that was to be saved')),
    )
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => calledOff.abort(new Error('called off; nothing was kept')))
    try {
      const { bytes, files } = await takeBackup({
        folder,
        moment,
        log: createLogger('warn'),
        signal: calledOff.signal,
        onProgress: ({ what, bytes }) => progress.show(() => `${inBytes(bytes)} read, now ${what}`),
      })
      progress.end()
      console.log(
        values.json
          ? JSON.stringify({ folder, taken_at: moment.at, bytes, files })
          : `${folder} holds everything as of ${moment.at}: ${files} files, ${inBytes(bytes)}.`,
      )
      return 0
    } finally {
      progress.end()
      release()
    }
  },
}
