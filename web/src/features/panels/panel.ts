import type { Json } from '../../lib/json.ts'

/** Something opened from a number, beside the page. The open ones are in the address, so that each has its own. */
export type Door =
  | { to: 'people'; title: string; source: Json }
  | { to: 'person'; id: string }
  | { to: 'event'; id: string }

const KINDS = new Set(['people', 'person', 'event'])

export function readDoors(search: Record<string, unknown>): { doors?: Door[] } {
  const { doors } = search
  if (!Array.isArray(doors)) return {}
  const known = doors.filter(
    (door): door is Door => typeof door === 'object' && door !== null && KINDS.has((door as Door).to),
  )
  return known.length > 0 ? { doors: known } : {}
}
