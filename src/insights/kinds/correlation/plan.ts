/** A correlation query, settled: the funnel, what to compare its successes and failures by, and what to leave out. */

import type { FunnelCorrelationQuery } from '../../../contract/queries/index.ts'
import { InvalidQuery } from '../../../lib/invalid-input.ts'
import type { Facts } from '../../facts/facts.ts'
import { eventNames, type FunnelPlan, planFunnel } from '../funnels/index.ts'

export interface CorrelationPlan {
  readonly query: FunnelCorrelationQuery
  readonly funnel: FunnelPlan
  readonly type: 'events' | 'properties' | 'event_with_properties'
  /** Names of events that say nothing, because they are the funnel itself or unwanted. */
  readonly excludedEvents: readonly string[]
  /** For event_with_properties: which events, and which of their properties not. */
  readonly eventNames: readonly string[]
  readonly excludedEventProperties: readonly string[]
  /** For properties: which of the actor's; all of them when undefined. */
  readonly propertyNames: readonly string[] | undefined
  readonly excludedProperties: readonly string[]
}

const ALL_PROPERTIES = '$all'

export function planCorrelation(query: FunnelCorrelationQuery, facts: Facts): CorrelationPlan {
  const type = query.funnelCorrelationType
  const names = query.funnelCorrelationNames ?? []
  const events = query.funnelCorrelationEventNames ?? []
  if (type === 'properties' && names.length === 0) {
    throw new InvalidQuery('Property Correlation expects at least one Property to run correlation on', [
      'funnelCorrelationNames',
    ])
  }
  if (type === 'event_with_properties' && events.length === 0) {
    throw new InvalidQuery('Event Property Correlation expects at least one event name to run correlation on', [
      'funnelCorrelationEventNames',
    ])
  }
  // A breakdown would count an actor once for each of its values.
  const source = { ...query.source.source, breakdownFilter: undefined }
  const funnel = planFunnel(source, facts)
  if (type === 'properties' && funnel.bySession) {
    throw new InvalidQuery('Sessions have no properties to correlate: count the funnel by person or group.', [
      'funnelsFilter',
      'funnelAggregateByHogQL',
    ])
  }
  return {
    query,
    funnel,
    type,
    excludedEvents: [
      ...funnel.steps.flatMap((step) => eventNames(step) ?? []),
      ...(query.funnelCorrelationExcludeEventNames ?? []),
    ],
    eventNames: events,
    excludedEventProperties: query.funnelCorrelationEventExcludePropertyNames ?? [],
    propertyNames: names.includes(ALL_PROPERTIES) ? undefined : names,
    excludedProperties: query.funnelCorrelationExcludeNames ?? [],
  }
}
