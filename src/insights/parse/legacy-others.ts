/** The retention and path keys of the legacy filter, as fields of the nodes. */
import {
  asBoolean,
  asFields,
  asNumber,
  decoded,
  type Fields,
  unlessEmpty,
  withoutEmpty,
} from '../../contract/queries/index.ts'

/** How a legacy filter inside this one becomes a node. */
type NodeOf = (filter: Fields) => Fields

/** The legacy default, where the node's own default is 8. */
const LEGACY_TOTAL_INTERVALS = 11

export function legacyRetentionFields(filter: Fields): Fields {
  return {
    retentionFilter: withoutEmpty({
      retentionType: filter.retention_type,
      period: filter.period,
      totalIntervals: asNumber(filter.total_intervals) ?? LEGACY_TOTAL_INTERVALS,
      targetEntity: entityOf(filter.target_entity),
      returningEntity: entityOf(filter.returning_entity),
      cumulative: asBoolean(filter.cumulative),
    }),
  }
}

function entityOf(value: unknown): Fields | undefined {
  const entity = asFields(value)
  return entity === undefined ? undefined : withoutEmpty({ ...entity, properties: decoded(entity.properties) })
}

export function legacyPathFields(filter: Fields, nodeOf: NodeOf): Fields {
  const pathsFilter = unlessEmpty({
    includeEventTypes: decoded(filter.include_event_types) ?? (filter.path_type ? [filter.path_type] : undefined),
    pathsHogQLExpression: filter.paths_hogql_expression,
    startPoint: filter.start_point,
    endPoint: filter.end_point,
    stepLimit: asNumber(filter.step_limit),
    edgeLimit: asNumber(filter.edge_limit),
    minEdgeWeight: asNumber(filter.min_edge_weight),
    maxEdgeWeight: asNumber(filter.max_edge_weight),
    excludeEvents: decoded(filter.exclude_events),
    pathGroupings: decoded(filter.path_groupings),
    localPathCleaningFilters: decoded(filter.local_path_cleaning_filters),
    pathStartKey: filter.path_start_key,
    pathEndKey: filter.path_end_key,
    pathDropoffKey: filter.path_dropoff_key,
  })
  return withoutEmpty({ pathsFilter, funnelPathsFilter: funnelPathsOf(filter, nodeOf) })
}

/** Around which step of which funnel; both must be said. */
function funnelPathsOf(filter: Fields, nodeOf: NodeOf): Fields | undefined {
  const funnel = asFields(filter.funnel_filter)
  if (funnel === undefined || !filter.funnel_paths) return undefined
  return withoutEmpty({
    funnelPathType: filter.funnel_paths,
    funnelSource: nodeOf({ ...funnel, insight: 'FUNNELS' }),
    funnelStep: asNumber(funnel.funnel_step),
  })
}
