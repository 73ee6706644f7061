/** How two steps relate by what they say, without looking at any event. */
import type { SeriesNode } from '../../../contract/queries/index.ts'

/** Every event of `inner` is one of `outer`: the same, or fewer filters on the same event. */
export function containsStep(outer: SeriesNode, inner: SeriesNode): boolean {
  if (!namesContain(outer, inner)) return false
  // One event of an actor holds no others.
  if (isFirstTime(outer))
    return outer.math === inner.math && sameFilters(outer, inner) && sameText(outer.kind, inner.kind)
  return holdsNothing(outer) || (sameFilters(outer, inner) && outer.kind === inner.kind)
}

/** One event could be both. */
export function mayOverlap(a: SeriesNode, b: SeriesNode): boolean {
  const ofA = eventNames(a)
  const ofB = eventNames(b)
  if (ofA === undefined || ofB === undefined) return true
  return ofA.some((name) => ofB.includes(name))
}

/** The names a step is about; undefined when it is about all events. */
export function eventNames(node: SeriesNode): string[] | undefined {
  if (node.kind === 'EventsNode') return node.event === undefined ? undefined : [node.event]
  const parts = (node.nodes ?? []).map(eventNames)
  return parts.some((part) => part === undefined) ? undefined : parts.flatMap((part) => part ?? [])
}

/** The step is about the first such event an actor ever did. */
export const isFirstTime = ({ math }: SeriesNode): boolean =>
  math === 'first_time_for_user' || math === 'first_time_for_user_with_filters'

function namesContain(outer: SeriesNode, inner: SeriesNode): boolean {
  if (outer.kind === 'ActionsNode') {
    if (inner.kind === 'ActionsNode') return outer.id === inner.id
    return inner.kind === 'EventsNode' && (outer.nodes ?? []).some((node) => containsStep(node, inner))
  }
  if (inner.kind === 'ActionsNode')
    return (
      outer.kind === 'EventsNode' && inner.nodes !== undefined && inner.nodes.every((node) => namesContain(outer, node))
    )
  if (outer.kind === 'GroupNode' || inner.kind === 'GroupNode') return sameText(outer, inner)
  return outer.event === undefined || outer.event === inner.event
}

const holdsNothing = (node: SeriesNode): boolean =>
  node.kind !== 'GroupNode' && node.properties.values.length === 0 && node.fixedProperties.values.length === 0

const sameFilters = (a: SeriesNode, b: SeriesNode): boolean =>
  sameText(a.properties, b.properties) && sameText(a.fixedProperties, b.fixedProperties)

const sameText = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
