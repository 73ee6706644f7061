import type { BasicInsight } from '../../api/contract.ts'
import { type Display, type Draft, emptyDraft, readDraft } from './draft.ts'
import { asObject, fromNode, type WireNode } from './from-node.ts'
import { looksOf } from './looks-on-wire.ts'
import { toNode } from './node.ts'

/**
 * How an insight is kept: as the node that any client understands, with the draft beside it so that the builder opens
 * it unchanged.
 */
export function savedQuery(draft: Draft): object {
  const source = toNode(draft)
  if (draft.kind === 'sql')
    return { kind: 'DataVisualizationNode', source, display: SQL_DISPLAYS[draft.display ?? 'table'] ?? 'ActionsTable' }
  const { trendsFilter } = source
  const drawn =
    draft.kind === 'trends' ? { ...source, trendsFilter: { ...asObject(trendsFilter), ...looksOf(draft) } } : source
  return { kind: 'InsightVizNode', source: drawn, footfallDraft: draft }
}

const SQL_DISPLAYS: Partial<Record<Display, string>> = {
  table: 'ActionsTable',
  line: 'ActionsLineGraph',
  bar: 'ActionsBar',
  number: 'BoldNumber',
}

/** All kinds of line and bar displays are drawn as our one kind. */
function sqlDisplay(name: unknown): Display | undefined {
  if (name === 'BoldNumber') return 'number'
  if (/^Actions(Line|Area)/.test(String(name))) return 'line'
  return /^Actions(Bar|StackedBar)/.test(String(name)) ? 'bar' : undefined
}

export function draftOf(insight: Pick<BasicInsight, 'query'>): Draft | undefined {
  const wrapper = asObject(insight.query)
  const node = unwrap(wrapper)
  if (node?.kind === 'HogQLQuery') return fromSql(node, wrapper)
  return readDraft(wrapper?.footfallDraft) ?? fromNode(node)
}

function unwrap(node: WireNode | undefined): WireNode | undefined {
  let inner = node
  while (inner && asObject(inner.source)) inner = asObject(inner.source)
  return inner
}

function fromSql(node: WireNode, wrapper: WireNode | undefined): Draft | undefined {
  if (typeof node.query !== 'string') return undefined
  const display = sqlDisplay(wrapper?.display)
  const dates = asObject(asObject(node.filters)?.dateRange)
  return {
    ...emptyDraft('sql'),
    sql: node.query,
    ...(display ? { display } : {}),
    ...(typeof dates?.date_from === 'string' ? { from: dates.date_from } : {}),
    ...(typeof dates?.date_to === 'string' ? { to: dates.date_to } : {}),
  }
}
