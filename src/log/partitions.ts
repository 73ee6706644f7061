/**
 * Partitions: events of one distinct id of one project are always in one partition, so their order is kept.
 * Imports have a partition of their own so that they do not delay live events; so have recordings, which are large.
 */
export const LIVE_PARTITIONS = ['live-0', 'live-1'] as const
export const HISTORICAL_PARTITION = 'historical'
export const RECORDINGS_PARTITION = 'recordings'
export const EVENT_PARTITIONS: readonly string[] = [...LIVE_PARTITIONS, HISTORICAL_PARTITION]
export const PARTITIONS: readonly string[] = [...EVENT_PARTITIONS, RECORDINGS_PARTITION]

export function livePartition(project: number, distinctId: string): string {
  return LIVE_PARTITIONS[fnv1a(`${project}:${distinctId}`) % LIVE_PARTITIONS.length] as string
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
