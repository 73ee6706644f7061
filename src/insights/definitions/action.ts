/**
 * An action: events that mean the same thing to people, by one of several descriptions. Each description is a series of
 * its own.
 */
import { z } from 'zod'
import { type EventsNode, eventsNodeSchema, rememberPlace, rememberPlaces } from '../../contract/queries/index.ts'

export interface Action {
  readonly id: number
  readonly name: string | null
  /** An event that any of them is about is of the action. */
  readonly nodes: readonly EventsNode[]
}

const text = z
  .string()
  .max(4_000)
  .nullish()
  .transform((given) => (given === '' ? null : (given ?? null)))
const matching = z
  .enum(['contains', 'regex', 'exact'])
  .nullish()
  .or(z.literal('').transform(() => null))
  .transform((given) => given ?? null)

/** A step as clients send it; what else they send with it is not kept. */
export const actionStep = z.object({
  event: text,
  url: text,
  url_matching: matching,
  text,
  text_matching: matching,
  href: text,
  href_matching: matching,
  selector: text,
  tag_name: text,
  properties: z
    .unknown()
    .optional()
    .transform((given) => given ?? []),
})
type ActionStep = z.output<typeof actionStep>

/** Throws a ZodError where the properties are no filters. */
export function nodeOfStep(step: ActionStep, at = 0): EventsNode {
  const node = eventsNodeSchema.parse({
    kind: 'EventsNode',
    event: step.event,
    properties: step.properties,
    fixedProperties: [...ofUrl(step), ...ofElements(step)],
  })
  rememberPlaces(node.properties, ['steps', at, 'properties'])
  for (const filter of node.fixedProperties.values)
    if (filter.kind === 'property') rememberPlace(filter, ['steps', at, filter.type === 'element' ? filter.key : 'url'])
  return node
}

/** A page is meant by a part of its address unless it is said otherwise, and % stands for anything. */
function ofUrl({ url, url_matching }: ActionStep): object[] {
  if (url === null) return []
  const filter = { key: '$current_url', type: 'event' }
  if (url_matching === 'exact') return [{ ...filter, operator: 'exact', value: url }]
  const pattern = url_matching === 'regex' ? url : url.split('%').map(escaped).join('.*')
  return [{ ...filter, operator: 'regex', value: pattern }]
}

const escaped = (part: string): string => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

const OPERATORS = { contains: 'icontains', regex: 'regex', exact: 'exact' } as const

/** What was clicked is meant exactly unless it is said otherwise. */
function ofElements(step: ActionStep): object[] {
  const filter = (key: string, value: string | null, how: ActionStep['text_matching'] = null) =>
    value === null ? [] : [{ key, type: 'element', operator: OPERATORS[how ?? 'exact'], value }]
  return [
    ...filter('text', step.text, step.text_matching),
    ...filter('href', step.href, step.href_matching),
    ...filter('selector', step.selector),
    ...filter('tag_name', step.tag_name),
  ]
}
