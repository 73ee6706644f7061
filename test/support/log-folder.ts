import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import {
  type LogReader,
  type LogRecord,
  openSegmentLog,
  openSegmentReader,
  type SegmentLog,
  type SegmentLogOptions,
} from '../../src/log/index.ts'

export const ALL = { bytes: Number.MAX_SAFE_INTEGER, records: Number.MAX_SAFE_INTEGER }

/** A folder that is gone after the test. */
export async function logFolder(): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'footfall-log-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

/** A log with partitions a and b, without a disk reserve, closed after the test. */
export async function openLog(dir: string, options: Partial<SegmentLogOptions> = {}): Promise<SegmentLog> {
  const log = await openSegmentLog({ dir, partitions: ['a', 'b'], reserveBytes: 0, ...options })
  onTestFinished(() => log.close())
  return log
}

export function readerOf(log: SegmentLog, options: Parameters<typeof openSegmentReader>[1] = {}): LogReader {
  const reader = openSegmentReader(log.readerHandle(), options)
  onTestFinished(() => reader.close())
  return reader
}

/** The folder as a crash at this moment would leave it: everything written so far, durable or not, and no owner. */
export async function crashedCopy(dir: string): Promise<string> {
  const copy = await logFolder()
  await cp(dir, copy, { recursive: true, filter: (source) => path.basename(source) !== 'lock' })
  return copy
}

export const entry = (partition: string, payload: string | Buffer) => ({ partition, payload: Buffer.from(payload) })

export const texts = (records: readonly LogRecord[]): string[] => records.map(({ payload }) => payload.toString())

/** What a partition holds, from the beginning. */
export async function contents(log: SegmentLog, partition: string): Promise<string[]> {
  const reader = openSegmentReader(log.readerHandle())
  try {
    return texts((await reader.read(partition, 0, ALL)).records)
  } finally {
    await reader.close()
  }
}

/** Paths of the segment files, oldest first. */
export async function segmentFiles(dir: string): Promise<string[]> {
  const names = await readdir(dir)
  return names
    .filter((name) => name.endsWith('.segment'))
    .sort()
    .map((name) => path.join(dir, name))
}
