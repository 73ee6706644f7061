import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
import type { ClickHouse } from '../engines/clickhouse/index.ts'
import { storedUuids } from '../events/index.ts'
import { HISTORICAL_PARTITION } from '../log/index.ts'
import { type ImportCounts, type ImportTarget, importFile, openFile } from '../transfer/index.ts'
import { askService, captureFromService } from './admin-client.ts'
import { CLIENT_FLAGS, projectNumber, readArguments } from './arguments.ts'
import { type Project, withEngines } from './connections.ts'
import { importSaved } from './import-saved.ts'
import { inDigits, ProgressLine } from './progress.ts'
import { UsageError } from './usage-error.ts'

/** How many bad lines are shown; further ones are only counted. */
const SHOWN = 20
/** An import pauses while the backlog is larger than this, so that the log always has room for live events. */
const MOST_BACKLOG = 512 * 1024 * 1024
const isFull = ({ backlog_bytes, backlog_limit_bytes }: LogState): boolean =>
  backlog_bytes > Math.min(MOST_BACKLOG, backlog_limit_bytes / 2)
const LOOK_EVERY = 20

export const importEvents = {
  usage: 'import FILE [--project N] [--data DIR] [--json]',
  about: `Brings events into the running service, in the order of FILE: lines of JSON or one JSON document, packed with gzip or not;
\`-\` reads standard input. Understood are files of \`footfall export\`, PostHog's batch exports and API answers, bodies of the
capture API, and the raw exports of Mixpanel and Amplitude. A line that is not understood is reported and passed over.
A file of insights or dashboards (PostHog's API answers: one, a list, a page of a list) brings those, with a report of what could not be carried.
Run it again after it was cut off, or twice: events that are there already are not added again.
Exit status 0 when everything came in, 1 when something did not.`,
  run: async (args: string[]): Promise<number> => {
    const { values, positionals } = readArguments(args, { ...CLIENT_FLAGS, project: { type: 'string' } })
    const [file, ...rest] = positionals
    if (file === undefined || rest.length > 0) throw new UsageError('name one file, or - for standard input')
    const { data } = values
    const wanted = projectNumber(values.project)
    const source = await openSource(file)
    const opened = await openFile(source.parts)
    if (opened.kind === 'saved')
      return importSaved(opened.documents, { project: wanted, data, json: values.json === true })
    return withEngines('import', { data, project: wanted }, async ({ project, clickhouse }) => {
      const progress = new ProgressLine()
      const began = Date.now()
      let bad = 0
      const counts = await importFile({
        target: serviceTarget(project, clickhouse, data, () => progress.show(() => 'the service is applying them')),
        parts: opened.parts,
        now: Date.now(),
        onBad: (line, reason) => {
          bad += 1
          if (bad <= SHOWN) process.stderr.write(`line ${line} ${reason}\n`)
          if (bad === SHOWN + 1) process.stderr.write('more such lines are only counted\n')
        },
        onProgress: (so) => progress.show(() => farSoFar(so, source.done(), (Date.now() - began) / 1000)),
      })
      progress.end()
      console.log(values.json ? JSON.stringify({ project: project.id, ...counts }) : inWords(counts, project))
      return counts.bad === 0 ? 0 : 1
    })
  },
}

function serviceTarget(
  project: Project,
  clickhouse: ClickHouse,
  data: string | undefined,
  waiting: () => void,
): ImportTarget {
  let sent = 0
  const log = async () => (await askService<Status>('GET', '/status', { data })).log
  return {
    project: project.id,
    stored: (uuids) => storedUuids(clickhouse, project.id, uuids),
    send: async (events) => {
      if (sent++ % LOOK_EVERY === 0) while (isFull(await log())) await delay(1_000)
      const body = `{"api_key":${JSON.stringify(project.api_token)},"historical_migration":true,"batch":[${events.join(',')}]}`
      await captureFromService(body, { data })
    },
    identities: async (batch) => {
      await askService('POST', '/identities', { data, body: batch })
    },
    settled: async () => {
      const end = (await log()).partitions[HISTORICAL_PARTITION]?.end ?? 0
      while (((await log()).partitions[HISTORICAL_PARTITION]?.released ?? end) < end) {
        waiting()
        await delay(100)
      }
    },
  }
}

interface LogState {
  readonly backlog_bytes: number
  readonly backlog_limit_bytes: number
  readonly partitions: Readonly<Record<string, { readonly end: number; readonly released: number }>>
}

interface Status {
  readonly log: LogState
}

interface Source {
  readonly parts: AsyncIterable<string>
  /** The fraction of the file that has been read, if its size is known. */
  done(): number | null
}

async function openSource(file: string): Promise<Source> {
  const size = file === '-' ? null : await sizeOf(file)
  const raw: Readable = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: 256 * 1024 })
  let read = 0
  const bytes = async function* () {
    for await (const part of raw) {
      read += (part as Buffer).length
      yield part as Buffer
    }
  }
  return { parts: textOf(bytes()), done: () => (size === null || size === 0 ? null : read / size) }
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error(`there is no file ${file}`) : error
  })
  if (found.isDirectory()) throw new Error(`${file} is a folder: name the files in it one by one`)
  return found.size
}

/** Decompressed when its first bytes are gzip, whatever its name. */
async function* textOf(bytes: AsyncGenerator<Buffer>): AsyncGenerator<string> {
  const { value: first, done } = await bytes.next()
  if (done) return
  const all = async function* () {
    yield first
    yield* bytes
  }
  const packed = first[0] === 0x1f && first[1] === 0x8b
  const decoder = new TextDecoder()
  for await (const part of packed ? unpacked(all()) : all()) yield decoder.decode(part, { stream: true })
  yield decoder.decode()
}

async function* unpacked(packed: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const source = Readable.from(packed, { objectMode: false })
  const gunzip = createGunzip()
  source.on('error', (error) => gunzip.destroy(error))
  yield* source.pipe(gunzip)
}

function farSoFar({ events, known }: ImportCounts, done: number | null, seconds: number): string {
  const rate = `${inDigits(events + known)} events, ${inDigits(Math.round((events + known) / seconds))}/s`
  if (done === null || done === 0) return rate
  const left = Math.round((seconds / done) * (1 - done))
  return `${Math.floor(done * 100)}%, ${rate}, about ${left < 120 ? `${left} s` : `${Math.round(left / 60)} min`} left`
}

function inWords({ events, known, persons, groups, bad }: ImportCounts, { id, name }: Project): string {
  const there = known > 0 ? `, ${inDigits(known)} were there already` : ''
  const who = persons + groups > 0 ? `, with ${inDigits(persons)} persons and ${inDigits(groups)} groups` : ''
  const left = bad > 0 ? `; ${inDigits(bad)} lines were not understood` : ''
  return `${inDigits(events)} events came into project ${id} "${name}"${there}${who}${left}.`
}
