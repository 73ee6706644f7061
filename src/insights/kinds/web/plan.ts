/** A question of web analytics, settled: its periods, its goal, and which filters are about sessions. */
import {
  allOf,
  type Bots,
  type PropertyFilter,
  type PropertyGroup,
  type SeriesNode,
  type WebGoal,
  type WebQuery,
} from '../../../contract/queries/index.ts'
import { InvalidQuery, type Path } from '../../../lib/invalid-input.ts'
import { NO_DEFINITIONS } from '../../definitions/definitions.ts'
import type { Facts } from '../../facts/facts.ts'
import { type DateRange, previousRange } from '../../plan/date-range.ts'
import { type Plan, planCommon } from '../../plan/plan.ts'
import { SESSION_COLUMNS } from '../../sql/session-columns.ts'

export interface WebPlan extends Plan {
  readonly previous: DateRange | undefined
  readonly bots: Bots
  readonly goal: SeriesNode | undefined
  /** Filters that sessions answer by themselves, and those for which their events must be looked at. */
  readonly sessionFilters: readonly (PropertyFilter | PropertyGroup)[]
  readonly eventFilters: PropertyGroup
  readonly cleanPaths: boolean
}

/** Web vitals over time are a trend. */
export type PlannedWebQuery = Exclude<WebQuery, { kind: 'WebVitalsQuery' }>

export function planWeb(query: PlannedWebQuery, facts: Facts): WebPlan {
  const interval = query.kind === 'WebTrendsQuery' ? query.interval : 'day'
  const common = planCommon({ ...query, bots: 'include' }, interval, facts)
  const { compareFilter } = query
  const parts = common.filters.type === 'AND' ? common.filters.values.flatMap(opened) : [common.filters]
  const sessionFilters = parts.filter(isOfSession)
  return {
    ...common,
    previous: compareFilter?.compare ? previousRange(common.range, common.clock, compareFilter.compare_to) : undefined,
    bots: query.bots ?? 'exclude',
    // The graph is about all sessions.
    goal:
      query.kind === 'WebTrendsQuery'
        ? undefined
        : query.conversionGoal && goalNode(query.conversionGoal, facts, ['conversionGoal']),
    sessionFilters,
    eventFilters: allOf(...parts.filter((each) => !isOfSession(each))),
    cleanPaths: query.doPathCleaning,
  }
}

/** The parts of nested ANDs. */
const opened = (part: PropertyFilter | PropertyGroup): (PropertyFilter | PropertyGroup)[] =>
  part.kind === 'group' && part.type === 'AND' ? part.values.flatMap(opened) : [part]

/** Of an event, these are the same for all events of a session. */
const SAME_IN_SESSION = new Set(
  `$browser $os $device_type $browser_language $timezone $geoip_country_code $geoip_subdivision_1_code
  $geoip_subdivision_1_name $geoip_city_name`.split(/\s+/),
)

const isOfSession = (part: PropertyFilter | PropertyGroup): boolean =>
  part.kind === 'group'
    ? part.values.every(isOfSession)
    : (part.type === 'session' && SESSION_COLUMNS.includes(part.key)) ||
      (part.type === 'event' && SAME_IN_SESSION.has(part.key))

export function goalNode(goal: WebGoal, facts: Facts, path: Path): SeriesNode {
  const common = { properties: allOf(), fixedProperties: allOf() } as const
  if ('customEventName' in goal) return { kind: 'EventsNode', event: goal.customEventName, ...common } as SeriesNode
  const action = (facts.definitions ?? NO_DEFINITIONS).actions.get(goal.actionId)
  if (action === undefined) throw new InvalidQuery(`The project has no action ${goal.actionId}.`, [...path, 'actionId'])
  return {
    kind: 'ActionsNode',
    id: goal.actionId,
    nodes: action.nodes,
    name: action.name ?? undefined,
    ...common,
  } as SeriesNode
}
