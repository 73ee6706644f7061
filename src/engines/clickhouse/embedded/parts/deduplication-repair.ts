import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/**
 * The engine writes a block's deduplication id to a log file and then renames the finished part. A process killed
 * between the two leaves an id without rows, and a repeated insert would be taken for a duplicate and dropped. So
 * before the engine opens its folder, every id without its part is removed in the engine's own format: by a DROP record
 * at the end of the log.
 */
export function repairDeduplicationLogs(store: string): number {
  let struck = 0
  for (const table of tableFolders(store)) struck += repairTable(table)
  return struck
}

function tableFolders(store: string): string[] {
  const root = path.join(store, 'store')
  if (!existsSync(root)) return []
  return readdirSync(root).flatMap((prefix) =>
    readdirSync(path.join(root, prefix))
      .map((name) => path.join(root, prefix, name))
      .filter((folder) => existsSync(path.join(folder, 'deduplication_logs'))),
  )
}

const LOG_FILE = /^deduplication_log_(\d+)\.txt$/
const RECORD = /^([12])\t([^\t]+)\t([^\t]+)$/
const ADD = '1'
const DROP = '2'

function repairTable(folder: string): number {
  const logs = path.join(folder, 'deduplication_logs')
  const files = readdirSync(logs)
    .filter((name) => LOG_FILE.test(name))
    .sort((a, b) => Number(LOG_FILE.exec(a)?.[1]) - Number(LOG_FILE.exec(b)?.[1]))
  const last = files.at(-1)
  if (last === undefined) return 0
  const text = files.map((name) => readFileSync(path.join(logs, name), 'utf8')).join('')
  // A log in an unknown format is left to the engine.
  const lines = text.split('\n').filter((line) => line !== '')
  if (!text.endsWith('\n') || !lines.every((line) => RECORD.test(line))) return 0

  const partOf = new Map<string, string>()
  for (const line of lines) {
    const [, operation, part, id] = RECORD.exec(line) as RegExpExecArray
    if (operation === ADD) partOf.set(id as string, part as string)
    else partOf.delete(id as string)
  }
  const present = readdirSync(folder).flatMap((name) => rangeOf(name) ?? [])
  const orphans = [...partOf].filter(([, part]) => !isCovered(part, present))
  const records = orphans.map(([id, part]) => `${DROP}\t${part}\t${id}\n`)
  if (records.length > 0) appendFileSync(path.join(logs, last), records.join(''), { flush: true })
  return records.length
}

interface BlockRange {
  readonly partition: string
  readonly from: number
  readonly to: number
}

/** `202611_5_9_1` holds blocks 5 to 9 of its partition, merged once. */
function rangeOf(part: string): BlockRange | undefined {
  const match = /^([^_]+)_(\d+)_(\d+)_\d+(?:_\d+)?$/.exec(part)
  return match ? { partition: match[1] as string, from: Number(match[2]), to: Number(match[3]) } : undefined
}

function isCovered(part: string, present: readonly BlockRange[]): boolean {
  const wanted = rangeOf(part)
  if (!wanted) return true
  return present.some((has) => has.partition === wanted.partition && has.from <= wanted.from && has.to >= wanted.to)
}
