import { mkdir } from 'node:fs/promises'
import { DAY } from '../../lib/durations.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Position } from '../port.ts'
import { lockFolder } from './files/folder-lock.ts'
import { diskIo, type SegmentIo } from './files/segment-io.ts'
import { recover } from './recovery.ts'
import { allocatePositions, sharedPositions } from './shared-positions.ts'
import { type SegmentLog, SegmentWriter, type WriterLimits } from './writer.ts'

const MIB = 1024 * 1024

export interface SegmentLogOptions {
  readonly dir: string
  readonly partitions: readonly string[]
  /** The positions up to which consumers have applied, by partition. New records get positions above all of these. */
  readonly released?: Readonly<Record<string, Position>>
  readonly log?: Logger
  /** A new segment is begun when the current one has this size. 64 MiB. */
  readonly segmentBytes?: number
  readonly segmentMs?: number
  /** Appends are refused while more than this waits to be released. 8 GiB. */
  readonly backlogLimitBytes?: number
  /** Appends are refused while more than this waits in memory. 64 MiB. */
  readonly bufferedLimitBytes?: number
  /** Appends are refused while the disk has less than this free. 256 MiB; 0 turns it off. */
  readonly reserveBytes?: number
  readonly io?: SegmentIo
}

/** Opens the log in a folder for writing: recovers what is there, cuts the torn tail, begins a fresh segment. */
export async function openSegmentLog(options: SegmentLogOptions): Promise<SegmentLog> {
  const { dir, released = {}, log } = options
  await mkdir(dir, { recursive: true })
  const unlock = await lockFolder(dir)
  try {
    const found = await recover(dir)
    if (found.cutBytes > 0) log?.warn({ dir, bytes: found.cutBytes }, 'cut an incomplete write off the end of the log')
    const partitions = withLeftovers(options.partitions, found.ends, released)
    const ends = partitions.map((name) => found.ends.get(name) ?? 0)
    const shared = allocatePositions(partitions.length)
    const positions = sharedPositions(shared)
    // Readers do not see these segments: the loss is reported here.
    for (const { base, end } of found.unreadable) {
      positions.addLoss(end - base)
      log?.error(
        { dir, from: base, bytes: end - base },
        'the header of a segment cannot be read: its records are lost, its file is set aside as .damaged',
      )
    }
    for (const [slot, name] of partitions.entries()) positions.release(slot, released[name] ?? 0)
    return await SegmentWriter.open({
      dir,
      partitions,
      shared,
      positions,
      limits: limitsOf(options),
      io: options.io ?? diskIo,
      log,
      ends,
      segments: found.segments,
      end: found.end,
      // Consumers may be ahead of the folder if it was deleted or restored from an older copy.
      floor: Math.max(found.floor, ...Object.values(released)),
      cutBytes: found.cutBytes,
      unlock,
    })
  } catch (error) {
    await unlock()
    throw error
  }
}

/**
 * A partition that is no longer configured but has unread records is kept until they are read: nothing disappears
 * silently.
 */
function withLeftovers(
  partitions: readonly string[],
  ends: ReadonlyMap<string, number>,
  released: Readonly<Record<string, Position>>,
): readonly string[] {
  const unread = [...ends].filter(([name, end]) => !partitions.includes(name) && end > (released[name] ?? 0))
  return [...partitions, ...unread.map(([name]) => name)]
}

const limitsOf = (options: SegmentLogOptions): WriterLimits => ({
  segmentBytes: options.segmentBytes ?? 64 * MIB,
  segmentMs: options.segmentMs ?? DAY,
  backlogBytes: options.backlogLimitBytes ?? 8 * 1024 * MIB,
  bufferedBytes: options.bufferedLimitBytes ?? 64 * MIB,
  reserveBytes: options.reserveBytes ?? 256 * MIB,
})
