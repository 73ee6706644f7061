import { useQuery } from '@tanstack/react-query'
import { propertyDefinitions } from '../api/queries.ts'
import type { PropertyDefinition } from '../api/types.ts'
import { useProject } from '../frame/project.tsx'
import { percent, valueText } from '../lib/format.ts'
import { propertyName } from '../lib/names.ts'
import type { Choice } from '../ui/picker.tsx'

export type PropertyType = 'event' | 'person' | 'group'
const TITLES: Record<PropertyType, string> = {
  event: 'Event properties',
  person: 'Person properties',
  group: 'Group properties',
}

/**
 * Properties to choose from, those first that the chosen event carries most often. The value of a choice is `type:name`, because an
 * event and a person may have a property of the same name.
 */
export function usePropertyChoices(
  types: readonly PropertyType[],
  event?: string | null,
): { choices: Choice[]; loading: boolean } {
  const project = useProject()
  const ofEvent = useQuery({
    ...propertyDefinitions(project.id, {
      exclude_hidden: true,
      type: 'event',
      limit: 500,
      ...(event ? { event_names: JSON.stringify([event]) } : {}),
    }),
    enabled: types.includes('event'),
    staleTime: 60_000,
  })
  const ofPerson = useQuery({
    ...propertyDefinitions(project.id, { type: 'person', limit: 500, exclude_hidden: true }),
    enabled: types.includes('person'),
    staleTime: 60_000,
  })
  const choices = [
    ...(types.includes('event') ? choicesOf(ofEvent.data?.results ?? [], 'event') : []),
    ...(types.includes('person') ? choicesOf(ofPerson.data?.results ?? [], 'person') : []),
  ]
  return { choices, loading: ofEvent.isPending || ofPerson.isPending }
}

/** How often it is there is told as a share of the most frequent one, which is on nearly all of them. */
function choicesOf(definitions: readonly PropertyDefinition[], type: PropertyType): Choice[] {
  const most = Math.max(1, ...definitions.map(({ count = 0 }) => count))
  return definitions.map((definition) => {
    const { name, samples = definition.example === undefined ? [] : [definition.example], count } = definition
    const examples = samples
      .slice(0, 3)
      .map((value) => valueText(value))
      .filter((text) => text !== '' && text !== 'null')
      .join(', ')
    return {
      value: `${type}:${name}`,
      label: propertyName(name),
      group: TITLES[type],
      ...(examples ? { hint: examples } : {}),
      ...(count === undefined ? {} : { note: percent(count / most, 0) }),
    }
  })
}

export function readChoice(value: string): { type: PropertyType; name: string } {
  const colon = value.indexOf(':')
  return { type: value.slice(0, colon) as PropertyType, name: value.slice(colon + 1) }
}

export const freeProperty =
  (type: PropertyType) =>
  (text: string): Choice => ({ value: `${type}:${text}`, label: `"${text}"`, group: 'As typed' })
