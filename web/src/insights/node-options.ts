import type { Draft } from './draft.ts'
import { DISPLAYS } from './node.ts'

type Node = Record<string, unknown>

/** What a node says besides its series, dates and filters: how it is shown, and the settings of its kind. */
export function optionsOf(node: Node): Partial<Draft> {
  const { formula, display } = part(node, 'trendsFilter')
  const { funnelVizType, funnelWindowIntervalUnit } = part(node, 'funnelsFilter')
  const { returningEntity, totalIntervals, retentionType } = part(node, 'retentionFilter')
  const { includeEventTypes, stepLimit, startPoint, endPoint } = part(node, 'pathsFilter')
  const shown = Object.entries(DISPLAYS).find(([, name]) => name === display)?.[0]
  const options = {
    formula: text(formula),
    display: shown === 'line' ? undefined : shown,
    viz: funnelVizType === 'steps' ? undefined : text(funnelVizType),
    windowUnit: text(funnelWindowIntervalUnit),
    returning: part({ of: returningEntity }, 'of').id,
    intervals: typeof totalIntervals === 'number' ? totalIntervals : undefined,
    firstTime: retentionType === 'retention_recurring' ? false : undefined,
    pathTypes: Array.isArray(includeEventTypes) ? includeEventTypes : undefined,
    steps: typeof stepLimit === 'number' ? stepLimit : undefined,
    startPoint: text(startPoint),
    endPoint: text(endPoint),
    testAccounts: node.filterTestAccounts === true || undefined,
  }
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<Draft>
}

const part = (node: Node, key: string): Node => {
  const value = node[key]
  return typeof value === 'object' && value !== null ? (value as Node) : {}
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
