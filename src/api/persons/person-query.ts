import type { z } from 'zod'
import { type PropertyGroup, readProperties } from '../../contract/queries/index.ts'
import { personListQuerySchema } from '../../contract/resources/person.ts'
import { ApiError } from '../../http/errors.ts'
import { asText, isObject, parseJson } from '../../lib/json.ts'

const VALUELESS = new Set(['is_set', 'is_not_set'])

const properties = personListQuerySchema.shape.properties.transform((given): PropertyGroup => {
  const group = readProperties(completed(unpacked(given)), (message, path) => {
    throw new ApiError('invalid_input', message, { attr: ['properties', ...path].join('__') })
  })
  return group
})

/** What a list of persons may be asked for. Everything given must hold. */
export const PERSON_QUERY = personListQuerySchema.extend({ properties: properties.optional() })
export type PersonQuery = z.output<typeof PERSON_QUERY>

function unpacked(given: unknown): unknown {
  // A parameter that is given several times comes as a list of texts.
  if (Array.isArray(given)) return given.map(unpacked)
  if (typeof given !== 'string' || given === '') return given
  try {
    return parseJson(given)
  } catch {
    throw refused(
      'Properties are unparsable! Send the JSON text of a list such as [{"key": "email", "value": "a@b.c"}].',
    )
  }
}

/**
 * Filters here are about persons unless they say otherwise, and a filter that lacks its key or value would silently
 * filter nothing.
 */
function completed(given: unknown, inList = false): unknown {
  if (Array.isArray(given)) return given.map((each) => completed(each, true))
  if (!isObject(given)) return given
  if (Array.isArray(given.values)) return { ...given, values: given.values.map((each) => completed(each, true)) }
  if (!('key' in given)) {
    if (inList && Object.keys(given).length > 0)
      throw refused(`The filter ${JSON.stringify(given)} has no key: say which property it is about.`)
    return given
  }
  const { type = 'person', operator = 'exact', value } = given
  if (type !== 'person' && type !== 'cohort')
    throw refused(`Persons are filtered by properties of type "person" or by cohort, not ${JSON.stringify(type)}.`)
  if ((value === undefined || value === null) && !VALUELESS.has(asText(operator)))
    throw refused(`The filter on ${JSON.stringify(given.key)} has no value.`)
  return { ...given, type }
}

const refused = (message: string) => new ApiError('invalid_input', message, { attr: 'properties' })
