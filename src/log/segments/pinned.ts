import { copyFile, link, mkdir } from 'node:fs/promises'
import type { LogReader, Position } from '../port.ts'
import { listSegments, segmentFile } from './files/segment-files.ts'
import { openSegmentReader } from './reader.ts'
import type { SegmentReaderHandle } from './reader-handle.ts'
import { allocatePositions, sharedPositions } from './shared-positions.ts'

/**
 * What was durable in a log at one moment, kept in a folder of its own while the log continues. Plain data: can be sent
 * to other processes.
 */
export interface PinnedLog {
  readonly dir: string
  readonly partitions: readonly { readonly name: string; readonly end: Position }[]
  readonly durableEnd: Position
  readonly activeBase: Position
}

/**
 * Makes a hard link to every segment in `dir`, at no cost in time or space: what the log deletes from now on stays
 * readable there. Nothing may be released meanwhile. The last segment keeps growing under both names; readers stop at
 * the end it had.
 */
export async function pinSegments(handle: SegmentReaderHandle, dir: string): Promise<PinnedLog> {
  const positions = sharedPositions(handle.shared)
  // In the order in which a reader loads them: see shared-positions.ts.
  const durableEnd = positions.durableEnd()
  const activeBase = positions.activeBase()
  const partitions = handle.partitions.map((name, slot) => ({ name, end: positions.end(slot) }))
  await mkdir(dir, { recursive: true })
  for (const base of await listSegments(handle.dir)) {
    if (base > activeBase) continue
    const [from, to] = [segmentFile(handle.dir, base), segmentFile(dir, base)]
    await link(from, to).catch(async (error: NodeJS.ErrnoException) => {
      // Released long before and deleted just now; or a file system without hard links.
      if (error.code !== 'ENOENT') await copyFile(from, to)
    })
  }
  return { dir, partitions, durableEnd, activeBase }
}

/** Reads a pinned log, in any process. Releasing has no effect. */
export function openPinnedLog({ dir, partitions, durableEnd, activeBase }: PinnedLog): LogReader {
  const shared = allocatePositions(partitions.length)
  const positions = sharedPositions(shared)
  positions.setActiveBase(activeBase)
  positions.publish(
    partitions.map(({ end }) => end),
    durableEnd,
  )
  return openSegmentReader({ dir, partitions: partitions.map(({ name }) => name), shared })
}
