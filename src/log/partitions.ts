/**
 * Partitions: live events of one distinct id of one project are always in one partition, so their order is kept. How
 * many there are for live events is a setting that can grow (`service/startup/partitions.ts`). Imports have a partition
 * of their own so that they do not delay live events; so have recordings, which are large.
 */
export const MOST_LIVE_PARTITIONS = 256
export const HISTORICAL_PARTITION = 'historical'
export const RECORDINGS_PARTITION = 'recordings'

const LIVE_NAMES: readonly string[] = Array.from({ length: MOST_LIVE_PARTITIONS }, (_, at) => `live-${at}`)

export const livePartitions = (count: number): readonly string[] => LIVE_NAMES.slice(0, count)
export const eventPartitions = (live: number): readonly string[] => [...livePartitions(live), HISTORICAL_PARTITION]
export const allPartitions = (live: number): readonly string[] => [...eventPartitions(live), RECORDINGS_PARTITION]
export const isLivePartition = (partition: string): boolean => partition.startsWith('live-')

/** The partition of a distinct id, when there are so many. */
export function livePartition(count: number, project: number, distinctId: string): string {
  return LIVE_NAMES[fnv1a(`${project}:${distinctId}`) % count] as string
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
