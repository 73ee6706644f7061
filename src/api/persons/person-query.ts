import { z } from 'zod'
import { ApiError } from '../../http/errors.ts'
import { type PropertyGroup, readProperties } from '../../insights/index.ts'
import { isObject, parseJson } from '../../lib/json.ts'
import { PAGE } from '../pagination.ts'

const VALUELESS = new Set(['is_set', 'is_not_set'])

const properties = z.unknown().transform((given): PropertyGroup => {
  const group = readProperties(completed(unpacked(given)), (message, path) => {
    throw new ApiError('invalid_input', message, { attr: ['properties', ...path].join('__') })
  })
  return group
})

/** What a list of persons may be asked for. Everything given must hold. */
export const PERSON_QUERY = PAGE.extend({
  distinct_id: z.string().optional(),
  email: z.string().optional(),
  search: z.string().optional(),
  properties: properties.optional(),
  /** Set by `next`: persons that came later are left out, so that walking the pages visits everybody once. */
  as_of: z
    .string()
    .regex(/^\d{1,15}$/, 'Use `next` as it is.')
    .transform(Number)
    .optional(),
})
export type PersonQuery = z.output<typeof PERSON_QUERY>

function unpacked(given: unknown): unknown {
  // `properties[]=...` and a parameter that is given twice come as lists of texts.
  if (Array.isArray(given)) return given.map(unpacked)
  if (typeof given !== 'string' || given === '') return given
  try {
    return parseJson(given)
  } catch {
    throw new ApiError('invalid_input', 'Properties are unparsable!', { attr: 'properties' })
  }
}

/** Filters here are about persons unless they say otherwise, and a filter that lacks its value would silently filter nothing. */
function completed(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(completed)
  if (!isObject(given)) return given
  if (Array.isArray(given.values)) return { ...given, values: given.values.map(completed) }
  if (!('key' in given)) return given
  const { type = 'person', operator = 'exact', value } = given
  if (type !== 'person')
    throw new ApiError(
      'invalid_input',
      `Persons are filtered by properties of type "person", not ${JSON.stringify(type)}.`,
      {
        attr: 'properties',
      },
    )
  if ((value === undefined || value === null) && !VALUELESS.has(String(operator)))
    throw new ApiError('invalid_input', `The filter on ${JSON.stringify(given.key)} has no value.`, {
      attr: 'properties',
    })
  return { ...given, type: 'person' }
}
