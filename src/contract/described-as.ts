import type { z } from 'zod'

const forms = new WeakMap<z.core.$ZodType, z.ZodType>()

/**
 * A schema that takes more than the API's description says of it: the form it is described by. What a field of a
 * question means, and what is wrong with it, is decided where the question is read; its schema only carries it along.
 */
export function describedAs<T extends z.ZodType>(schema: T, form: z.ZodType): T {
  forms.set(schema, form)
  return schema
}

export const describedFormOf = (schema: z.core.$ZodType): z.ZodType | undefined => forms.get(schema)
