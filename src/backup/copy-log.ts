import { rm } from 'node:fs/promises'
import {
  type LogReaderHandle,
  openLogReader,
  openSegmentLog,
  type PinnedLog,
  type Position,
  pinSegments,
} from '../log/index.ts'
import { appendRecords, recordsBetween, unframed } from './log-records.ts'

/**
 * Copies what is in a log above these positions to segments in a folder: for a log in NATS, where whatever is applied is
 * deleted. Nothing may be applied meanwhile, so it takes as long as the pipeline is behind.
 */
export async function copyLog(
  handle: LogReaderHandle,
  positions: Readonly<Record<string, Position>>,
  { dir, pinned, signal }: { readonly dir: string; readonly pinned: string; readonly signal: AbortSignal },
): Promise<PinnedLog> {
  await rm(dir, { recursive: true, force: true })
  const reader = await openLogReader(handle)
  const copy = await openSegmentLog({
    dir,
    partitions: handle.partitions,
    released: positions,
    backlogLimitBytes: Number.MAX_SAFE_INTEGER,
  })
  try {
    for (const partition of handle.partitions) {
      const from = positions[partition] ?? 0
      const all = recordsBetween(reader, partition, { from, to: Number.POSITIVE_INFINITY }, () =>
        signal.throwIfAborted(),
      )
      await appendRecords(copy, partition, unframed(all))
    }
    return await pinSegments(copy.readerHandle(), pinned)
  } finally {
    await copy.close()
    await reader.close()
    await rm(dir, { recursive: true, force: true })
  }
}
