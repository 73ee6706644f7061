/** Whether one event can be two steps of a funnel, as far as names of events and exact values of properties tell. */
import type { PropertyFilter, PropertyGroup, SeriesNode } from '../../../contract/queries/index.ts'

/** One way in which an event can be a step: a step about an action or a group has several. */
interface Way {
  readonly event: string | undefined
  readonly filters: readonly PropertyFilter[]
}

export function canBeOneEvent(one: SeriesNode, other: SeriesNode): boolean {
  const others = waysOf(other)
  return waysOf(one).some((way) => others.some((each) => !areApart(way, each)))
}

function areApart(one: Way, other: Way): boolean {
  if (one.event !== undefined && other.event !== undefined && one.event !== other.event) return true
  return one.filters.some((filter) =>
    other.filters.some(
      (each) => isSameProperty(filter, each) && !each.values.some((value) => filter.values.includes(value)),
    ),
  )
}

const isSameProperty = (one: PropertyFilter, other: PropertyFilter): boolean =>
  one.type === other.type && one.key === other.key && one.group_type_index === other.group_type_index

function waysOf(node: SeriesNode): Way[] {
  const filters = [...exactFilters(node.properties), ...exactFilters(node.fixedProperties)]
  if (node.kind === 'EventsNode') return [{ event: node.event, filters }]
  // An action that is not known: nothing can be told.
  if (node.nodes === undefined) return [{ event: undefined, filters }]
  return node.nodes.flatMap(waysOf).map((way) => ({ ...way, filters: [...way.filters, ...filters] }))
}

/** An event has one value of these; several elements of a page may each satisfy a filter of theirs. */
const OF_ONE_VALUE: ReadonlySet<string> = new Set(['event', 'event_metadata', 'person', 'group'])
const EXACT: ReadonlySet<string> = new Set(['exact', 'in'])
/** Of longer lists nothing is told: comparing all of them with all others would keep everybody waiting. */
const MOST_VALUES = 100

/** Those of a group that every event of the step satisfies. */
function exactFilters(group: PropertyGroup): PropertyFilter[] {
  if (group.type === 'OR' && group.values.length > 1) return []
  return group.values.flatMap((value) => {
    if (value.kind === 'group') return exactFilters(value)
    const isExact = OF_ONE_VALUE.has(value.type) && EXACT.has(value.operator)
    return isExact && value.values.length <= MOST_VALUES ? [value] : []
  })
}
