import { useQuery } from '@tanstack/react-query'
import type { PropertyDefinition } from '../../api/contract.ts'
import { useProject } from '../../api/project.tsx'
import { groupTypes, propertyDefinitions } from '../../api/queries.ts'
import { percent, valueText } from '../../lib/format.ts'
import { propertyName } from '../../lib/names.ts'
import type { Choice } from '../../ui/choice-list.tsx'
import { SESSION_CHOICES, SESSION_NUMBERS } from './session-properties.ts'

export type PropertyType = 'event' | 'person' | 'group' | 'session'

/**
 * Properties to choose from, those first that the chosen event carries most often. The value of a choice is
 * `type:name`, because an event and a person may have a property of the same name; those of groups say which:
 * `group0:name`.
 */
export function usePropertyChoices(
  types: readonly PropertyType[],
  event?: string | null,
): { choices: Choice[]; loading: boolean; numeric: ReadonlySet<string> } {
  const project = useProject()
  const ofEvent = useQuery({
    ...propertyDefinitions(project.id, {
      exclude_hidden: true,
      type: 'event',
      limit: 500,
      share: true,
      ...(event ? { event_names: JSON.stringify([event]) } : {}),
    }),
    enabled: types.includes('event'),
    staleTime: 60_000,
  })
  const ofPerson = useQuery({
    ...propertyDefinitions(project.id, { type: 'person', limit: 500, exclude_hidden: true, share: true }),
    enabled: types.includes('person'),
    staleTime: 60_000,
  })
  const ofGroup = useQuery({ ...groupProperties(project.id), enabled: types.includes('group') })
  const kinds = useQuery({ ...groupTypes(project.id), enabled: types.includes('group'), staleTime: 60_000 })
  const choices = [
    ...(types.includes('event') ? choicesOf(ofEvent.data?.results ?? [], 'event', 'Event properties') : []),
    ...(types.includes('person') ? choicesOf(ofPerson.data?.results ?? [], 'person', 'Person properties') : []),
    ...(types.includes('session') ? SESSION_CHOICES : []),
    ...(types.includes('group') ? (kinds.data ?? []) : []).flatMap(({ group_type, group_type_index: index }) =>
      choicesOf(
        (ofGroup.data?.results ?? []).filter(({ group_type_index }) => group_type_index === index),
        `group${index}`,
        `Properties of ${group_type}`,
      ),
    ),
  ]
  const numeric = new Set([
    ...numbersIn(ofEvent.data?.results ?? [], 'event'),
    ...numbersIn(ofPerson.data?.results ?? [], 'person'),
    ...numbersIn(ofGroup.data?.results ?? [], 'group'),
    ...SESSION_NUMBERS,
  ])
  return { choices, numeric, loading: ofEvent.isLoading || ofPerson.isLoading || ofGroup.isLoading || kinds.isLoading }
}

/** Those whose values are numbers, as `type:name`. */
const numbersIn = (definitions: readonly PropertyDefinition[], type: PropertyType): string[] =>
  definitions.filter(({ is_numerical }) => is_numerical).map(({ name }) => `${type}:${name}`)

const groupProperties = (projectId: number) => ({
  ...propertyDefinitions(projectId, { type: 'group', limit: 500, exclude_hidden: true, share: true }),
  staleTime: 60_000,
})

/** Each with the share of events (of the chosen one), persons or groups that have it. */
function choicesOf(definitions: readonly PropertyDefinition[], type: string, group: string): Choice[] {
  return definitions.map((definition) => {
    const { name, samples = definition.example === undefined ? [] : [definition.example], share } = definition
    const examples = samples
      .slice(0, 3)
      .map((value) => valueText(value))
      .filter((text) => text !== '' && text !== 'null')
      .join(', ')
    return {
      value: `${type}:${name}`,
      label: propertyName(name),
      group,
      ...(examples ? { hint: examples } : {}),
      ...(share === undefined || share === null ? {} : { note: shareText(share) }),
    }
  })
}

/** Whole percent, but never 0% for some or 100% for not quite all. */
export function shareText(share: number): string {
  if (share > 0 && share < 0.005) return '<1%'
  if (share < 1 && share > 0.995) return '>99%'
  return percent(share, 0)
}

export function readChoice(value: string): { type: PropertyType; name: string; group_type_index?: number } {
  const colon = value.indexOf(':')
  const name = value.slice(colon + 1)
  const group = /^group(\d+)$/.exec(value.slice(0, colon))
  return group
    ? { type: 'group', name, group_type_index: Number(group[1]) }
    : { type: value.slice(0, colon) as PropertyType, name }
}

export const freeProperty =
  (type: PropertyType) =>
  (text: string): Choice => ({ value: `${type}:${text}`, label: `"${text}"`, group: 'As typed' })
