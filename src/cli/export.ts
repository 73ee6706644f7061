import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { yieldBy } from '../lib/priority.ts'
import { parseTimestamp } from '../lib/timestamps.ts'
import { exportLines } from '../transfer/index.ts'
import { CLIENT_FLAGS, projectNumber, readArguments } from './arguments.ts'
import { withEngines } from './connections.ts'
import { inDigits, ProgressLine } from './progress.ts'
import { UsageError } from './usage-error.ts'

const FLAGS = {
  ...CLIENT_FLAGS,
  project: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  event: { type: 'string' },
  format: { type: 'string' },
  out: { type: 'string' },
} as const

export const exportEvents = {
  usage: 'export [--project N] [--from TIME] [--to TIME] [--event NAME] [--format jsonl] [--out FILE] [--data DIR]',
  about: `Writes the events of a project as lines of JSON, oldest first, to FILE (packed when its name ends in .gz) or to standard
output. Without --from, --to and --event it is the whole project, with its persons and groups: \`footfall import\` makes the
same of it in another Footfall. --from is inclusive, --to exclusive; both take ISO 8601, without a zone in UTC.
Recordings, insights and settings are not in it: use \`footfall backup\` to move everything.`,
  run: async (args: string[]): Promise<number> => {
    const { values, positionals } = readArguments(args, FLAGS)
    if (positionals.length > 0) throw new UsageError(`unexpected "${positionals[0]}": name the file with --out`)
    if (values.format !== undefined && values.format !== 'jsonl') throw new UsageError('--format can only be jsonl')
    const [from, to] = [timeOf(values.from, '--from'), timeOf(values.to, '--to')]
    const progress = new ProgressLine()
    // The service comes first.
    yieldBy(5)
    let written = 0
    return withEngines('export', { data: values.data, project: projectNumber(values.project) }, async (engines) => {
      const lines = exportLines({
        ...engines,
        project: engines.project.id,
        from,
        to,
        event: values.event,
        now: new Date(),
        onEvents: (done, of) => {
          written = done
          progress.show(() => `${inDigits(done)} of ${inDigits(of)} events`)
        },
      })
      const whole = await write(lines, values.out)
      progress.end()
      if (whole && values.out !== undefined)
        process.stderr.write(`${inDigits(written)} events of project ${engines.project.id} are in ${values.out}\n`)
      return 0
    })
  },
}

function timeOf(given: string | undefined, flag: string): number | undefined {
  if (given === undefined) return undefined
  const time = parseTimestamp(given)
  if (time === null) throw new UsageError(`${flag} takes a time such as 2026-01-31 or 2026-01-31T12:00:00Z`)
  return time
}

/** False when the reader of our output has closed it. A file gets its name only when it is complete. */
async function write(lines: AsyncIterable<string>, out: string | undefined): Promise<boolean> {
  const source = Readable.from(lines, { objectMode: false })
  if (out === undefined) {
    try {
      await pipeline(source, process.stdout, { end: false })
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') return false
      throw error
    }
  }
  const unfinished = path.join(path.dirname(out), `.${path.basename(out)}.unfinished`)
  try {
    await pipeline(
      source,
      out.endsWith('.gz') ? createGzip() : new PassThrough(),
      createWriteStream(unfinished, { flush: true }),
    )
    await rename(unfinished, out)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
  return true
}
