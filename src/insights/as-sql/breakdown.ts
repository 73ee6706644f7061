/** Breakdowns in SQL that people read. The values that the answer shows are named, all others are "Other". */
import type { SeriesNode } from '../../contract/queries/index.ts'
import { type BreakdownPart, type BreakdownPlan, NULL_LABEL, OTHER_LABEL } from '../plan/breakdown.ts'
import { numberIn, propertyText } from './conditions.ts'
import { named, notInSql, quoted } from './text.ts'

export const NONE = '(none)'
const OTHER = 'Other'

/** One part of a question that is asked of each cohort by itself. */
export interface CohortPart {
  readonly columns: readonly string[]
  readonly conditions: readonly string[]
}

export const EVERYBODY: CohortPart = { columns: [], conditions: [] }

/** Cohorts overlap, so each is a query of its own, under its name. */
export function cohortParts(breakdown: BreakdownPlan | undefined): readonly (CohortPart & { readonly id?: string })[] {
  if (breakdown?.names === undefined) return [EVERYBODY]
  return [...breakdown.names].map(([id, name]) => ({
    id,
    columns: [`${quoted(name)} AS cohort`],
    conditions: id === 'all' ? [] : [`person_id IN COHORT ${id}`],
  }))
}

/** The names of the columns that hold a breakdown's values. */
export const labelNames = (breakdown: BreakdownPlan | undefined): string[] =>
  (breakdown?.parts ?? []).map(({ ref }, at, all) => {
    const name = ref.type === 'hogql' ? 'value of expression' : ref.key
    return named(all.some(({ ref: other }, i) => i < at && other.key === ref.key) ? `${name} ${at + 1}` : name)
  })

/** The values of an event, as texts. */
export const labelsOf = (breakdown: BreakdownPlan): string[] => breakdown.parts.map(labelOf)

function labelOf(part: BreakdownPart): string {
  const text = propertyText({
    ...part.ref,
    ...(part.ref.group_type_index === undefined ? {} : { group_type_index: part.ref.group_type_index }),
  })
  return `ifNull(nullIf(${shownText(text, part)}, ''), ${quoted(NONE)})`
}

function shownText(text: string, { bins, normalizeUrl, binCount }: BreakdownPart): string {
  if (bins !== undefined) {
    const ranges = bins.labels.map((label, at) => `${numberIn(text)} < ${bins.edges[at + 1]}, ${quoted(label)}`)
    return `multiIf(${ranges.join(', ')}, NULL)`
  }
  if (binCount !== undefined) notInSql('The ranges of its numbers are not known.')
  if (!normalizeUrl) return text
  return `if(${text} =~ '^[/?#]+$', '/', replaceRegexpOne(${text}, '[/?#]+$', ''))`
}

const asText = (label: string): string => quoted(label === NULL_LABEL ? NONE : label)

/** Whether an event's values (columns of these names) are among those shown. */
function isShown(names: readonly string[], shown: readonly (readonly string[])[]): string {
  if (shown.length === 0) return 'false'
  const [only] = names
  if (names.length === 1) return `${only} IN (${shown.map(([label = '']) => asText(label)).join(', ')})`
  return `(${names.join(', ')}) IN (${shown.map((labels) => `(${labels.map(asText).join(', ')})`).join(', ')})`
}

export interface ShownLabels {
  /** What to select, from events: the value, or "Other". */
  readonly columns: readonly string[]
  readonly conditions: readonly string[]
  /** The conditions once the columns are selected. */
  readonly outside: readonly string[]
}

const isOther = (labels: readonly string[]): boolean =>
  labels.length > 0 && labels.every((label) => label === OTHER_LABEL || label === OTHER)

/** The values that an answer shows, and whether the others are there as one. */
export function shownLabels(
  breakdown: BreakdownPlan | undefined,
  answered: readonly (readonly string[])[],
): ShownLabels {
  if (breakdown === undefined || breakdown.parts.length === 0) return { columns: [], conditions: [], outside: [] }
  const values = labelsOf(breakdown)
  const names = labelNames(breakdown)
  const shown = answered.filter((labels) => !isOther(labels))
  if (!answered.some(isOther))
    return {
      columns: values.map((value, at) => `${value} AS ${names[at]}`),
      conditions: [isShown(values, shown)],
      outside: [isShown(names, shown)],
    }
  const among = isShown(values, shown)
  return {
    columns: values.map((value, at) => `if(${among}, ${value}, ${quoted(OTHER)}) AS ${names[at]}`),
    conditions: [],
    outside: [],
  }
}

export interface SeparateLabels extends ShownLabels {
  /** What the selected columns are called. */
  readonly names: readonly string[]
  /** What to select from them in the end. */
  readonly shown: readonly string[]
}

/** The same where each value counts by itself, and only what was counted is put together as "Other". */
export function separateLabels(
  breakdown: BreakdownPlan | undefined,
  answered: readonly (readonly string[])[],
): SeparateLabels {
  const labels = labelNames(breakdown)
  if (breakdown === undefined || !answered.some(isOther))
    return { ...shownLabels(breakdown, answered), names: labels, shown: labels }
  const names = labels.map((_, at) => `value_${at + 1}`)
  const among = isShown(
    names,
    answered.filter((each) => !isOther(each)),
  )
  return {
    columns: labelsOf(breakdown).map((value, at) => `${value} AS ${names[at]}`),
    conditions: [],
    outside: [],
    names,
    shown: names.map((name, at) => `if(${among}, ${name}, ${quoted(OTHER)}) AS ${labels[at]}`),
  }
}

export const titleOf = (node: SeriesNode): string => {
  if (node.custom_name) return node.custom_name
  if (node.kind === 'EventsNode') return node.event ?? 'All events'
  return node.name ?? (node.kind === 'GroupNode' ? node.nodes.map(titleOf).join(' or ') : `Action ${node.id}`)
}
