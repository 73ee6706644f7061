/** Insights and dashboards in the answers of an API: one of them, a list, or a page of a list. */
import { type ForeignInsight, foreignInsight, tagsIn, textIn } from '../../insights/index.ts'
import { asText, isObject, type Json } from '../../lib/json.ts'

export interface SavedTile {
  readonly insight: ForeignInsight | null
  readonly text: string | null
  readonly layouts: Json
  readonly color: string | null
}

export type SavedThing =
  | { readonly kind: 'insight'; readonly insight: ForeignInsight }
  | {
      readonly kind: 'dashboard'
      /** Its number there and when it was created. */
      readonly from: string
      readonly name: string
      readonly description: string
      readonly pinned: boolean
      readonly filters: Json
      readonly tags: readonly string[]
      readonly tiles: readonly SavedTile[]
      readonly notes: readonly string[]
    }
  | { readonly kind: 'left out'; readonly what: string; readonly why: string }

const LONGEST_TEXT = 4_000

/** Every insight and dashboard in a document; of anything else, why it is none. */
export function savedThings(document: unknown): SavedThing[] {
  if (Array.isArray(document)) return document.flatMap(savedThings)
  if (!isObject(document)) return [leftOut('a value', 'it is neither an insight nor a dashboard')]
  if (Array.isArray(document.results) && document.short_id === undefined) return document.results.flatMap(savedThings)
  const what = nameOf(document)
  if (isDashboard(document))
    return [document.deleted === true ? leftOut(`dashboard ${what}`, 'it was deleted there') : dashboardIn(document)]
  const insight = foreignInsight(document)
  if (insight === undefined) return [leftOut(what, 'it is neither an insight nor a dashboard')]
  return [document.deleted === true ? leftOut(`insight ${what}`, 'it was deleted there') : { kind: 'insight', insight }]
}

/** Whether a text may hold such things: looked at before it is read as events. */
export const looksSaved = (start: string): boolean =>
  /"(?:short_id|tiles|dashboard_tiles|effective_restriction_level)"\s*:/.test(start) && !/"distinct_id"\s*:/.test(start)

/** Lists of dashboards have no tiles; old answers call them items. */
const isDashboard = (given: Record<string, Json>): boolean =>
  Array.isArray(given.tiles) || Array.isArray(given.items) || (given.pinned !== undefined && given.query === undefined)

function dashboardIn(given: Record<string, Json>): SavedThing {
  const notes: string[] = []
  const listed = Array.isArray(given.tiles) ? given.tiles : given.items
  if (!Array.isArray(listed))
    notes.push('a list of dashboards does not say what they show: export each dashboard by its own address')
  const tiles = (Array.isArray(listed) ? listed : []).flatMap((tile): SavedTile[] => {
    if (!isObject(tile) || tile.deleted === true) return []
    const read = Array.isArray(given.tiles) ? tileIn(tile) : itemIn(tile)
    if (read === undefined) notes.push('a tile is neither an insight nor a text')
    return read ? [read] : []
  })
  return {
    kind: 'dashboard',
    from: `${asText(given.id ?? nameOf(given))}:${asText(given.created_at ?? '')}`,
    name: textIn(given.name, 400) ?? '',
    description: textIn(given.description) ?? '',
    pinned: given.pinned === true,
    filters: isObject(given.filters) ? given.filters : {},
    tags: tagsIn(given.tags),
    tiles,
    notes,
  }
}

function tileIn(tile: Record<string, Json>): SavedTile | undefined {
  const insight = foreignInsight(tile.insight) ?? null
  const text = isObject(tile.text) ? textIn(tile.text.body, LONGEST_TEXT) : null
  if (insight === null && text === null) return undefined
  return { insight, text, layouts: isObject(tile.layouts) ? tile.layouts : {}, color: textIn(tile.color, 400) }
}

function itemIn(item: Record<string, Json>): SavedTile | undefined {
  const insight = foreignInsight(item)
  return insight && { insight, text: null, layouts: isObject(item.layouts) ? item.layouts : {}, color: null }
}

const nameOf = (given: Record<string, Json>): string =>
  JSON.stringify(textIn(given.name, 80) || textIn(given.derived_name, 80) || asText(given.short_id ?? given.id ?? ''))

const leftOut = (what: string, why: string): SavedThing => ({ kind: 'left out', what, why })
