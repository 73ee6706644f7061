/** Small parts that the fields of query nodes are made of. */
import { z } from 'zod'

/** Absent and null mean the same thing in every node. */
export const optional = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined)

export const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false)

export const texts = optional(z.array(z.string()))

/** One of the five group types of a project. */
export const groupIndex = z.number().int().min(0).max(4)

/** Never read from a client: what the project has defined is filled in before planning. */
export function definedElsewhere<T>() {
  return z
    .unknown()
    .optional()
    .transform((): T | undefined => undefined)
    .meta({ description: 'Not read: the project knows it.' })
}

/**
 * The JSON schema that describes values whose reader takes more forms than a schema can say, as metadata for the schema
 * of that reader. The forms must not refer to themselves.
 */
export function describedBy(forms: z.ZodType): z.core.JSONSchema.BaseSchema {
  const { $schema: _, ...json } = z.toJSONSchema(forms, { io: 'input' })
  return json
}
