import type { Json } from '../../lib/json.ts'

/** Something opened from a number, beside the page. The open ones are in the address, so that each has its own. */
export type Panel =
  | { to: 'people'; title: string; source: Json }
  | { to: 'person'; id: string }
  | { to: 'event'; id: string }

const KINDS = new Set(['people', 'person', 'event'])

export function readPanels(search: Record<string, unknown>): { panels?: Panel[] } {
  const { panels } = search
  if (!Array.isArray(panels)) return {}
  const known = panels.filter(
    (panel): panel is Panel => typeof panel === 'object' && panel !== null && KINDS.has((panel as Panel).to),
  )
  return known.length > 0 ? { panels: known } : {}
}
