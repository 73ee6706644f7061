import type { Insight, Json } from '../api/types.ts'
import { type Draft, emptyDraft, type Filter, type Kind, readDraft, type Series } from './draft.ts'
import { toNode } from './node.ts'
import { optionsOf } from './node-options.ts'

/** How an insight is kept: as the node that any client understands, with the draft beside it so that the builder opens it unchanged. */
type Node = Record<string, unknown>

export const savedQuery = (draft: Draft): Json => ({
  kind: 'InsightVizNode',
  source: toNode(draft),
  footfallDraft: draft as unknown as Json,
})

export function draftOf(insight: Insight): Draft | undefined {
  const wrapper = asObject(insight.query)
  return readDraft(wrapper?.footfallDraft) ?? fromNode(unwrap(wrapper))
}

const asObject = (value: unknown): Node | undefined => {
  const parsed = typeof value === 'string' ? tryParse(value) : value
  return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? (parsed as Node) : undefined
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function unwrap(node: Node | undefined): Node | undefined {
  let inner = node
  while (inner && asObject(inner.source)) inner = asObject(inner.source)
  return inner
}

const KIND_OF: Record<string, Kind> = {
  TrendsQuery: 'trends',
  FunnelsQuery: 'funnel',
  RetentionQuery: 'retention',
  PathsQuery: 'paths',
  LifecycleQuery: 'lifecycle',
  StickinessQuery: 'stickiness',
}

/** A node made elsewhere: what the builder knows of it. */
function fromNode(node: Node | undefined): Draft | undefined {
  const kind = KIND_OF[String(node?.kind)]
  if (!node || !kind) return undefined
  const dates = asObject(node.dateRange)
  const by = asObject(node.breakdownFilter)
  const retention = asObject(node.retentionFilter)
  const funnel = asObject(node.funnelsFilter)
  const target = asObject(retention?.targetEntity)
  const series = Array.isArray(node.series)
    ? node.series.map(seriesOf)
    : target
      ? [{ event: (target.id as string) ?? null }]
      : []
  return {
    ...emptyDraft(kind),
    ...optionsOf(node),
    series,
    ...(typeof dates?.date_from === 'string' ? { from: dates.date_from } : {}),
    ...(typeof dates?.date_to === 'string' ? { to: dates.date_to } : {}),
    ...(Array.isArray(node.properties) ? { filters: node.properties as Filter[] } : {}),
    ...(typeof node.interval === 'string' ? { interval: node.interval as NonNullable<Draft['interval']> } : {}),
    ...(typeof by?.breakdown === 'string'
      ? { breakdown: { property: by.breakdown, type: (by.breakdown_type as 'event') ?? 'event' } }
      : {}),
    ...(funnel?.funnelOrderType ? { order: funnel.funnelOrderType as NonNullable<Draft['order']> } : {}),
    ...(typeof funnel?.funnelWindowInterval === 'number' ? { window: funnel.funnelWindowInterval } : {}),
    ...(retention?.period ? { period: retention.period as NonNullable<Draft['period']> } : {}),
    ...(asObject(node.compareFilter)?.compare === true ? { compare: true } : {}),
  }
}

const seriesOf = (value: unknown): Series => {
  const node = asObject(value) ?? {}
  return {
    event: typeof node.event === 'string' ? node.event : null,
    ...(typeof node.math === 'string' ? { math: node.math } : {}),
    ...(typeof node.math_property === 'string' ? { property: node.math_property } : {}),
    ...(typeof node.math_group_type_index === 'number' ? { groupIndex: node.math_group_type_index } : {}),
    ...(typeof node.custom_name === 'string' ? { name: node.custom_name } : {}),
    ...(Array.isArray(node.properties) ? { filters: node.properties as Filter[] } : {}),
  }
}
