import { z } from 'zod'

/**
 * The same schema, to which a field it does not name is a mistake. Schemas of answers are written as objects that
 * ignore such fields, so that an older client reads a newer service; a service that sends fields it does not describe
 * is wrong all the same.
 */
export function exactly(schema: z.ZodType): z.ZodType {
  const known = made.get(schema)
  if (known) return known
  // Schemas may name themselves: whoever meets this one again while it is being made gets it when it is needed.
  made.set(
    schema,
    z.lazy(() => exact),
  )
  const exact = rebuilt(schema)
  made.set(schema, exact)
  return exact
}

const made = new WeakMap<z.ZodType, z.ZodType>()

function rebuilt(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const { shape, catchall } = schema.def
    const fields = Object.entries(shape).map(([name, field]) => [name, exactly(field as z.ZodType)] as const)
    return schema.clone({
      ...schema.def,
      shape: Object.fromEntries(fields),
      catchall: catchall === undefined ? z.never() : exactly(catchall as z.ZodType),
    })
  }
  if (schema instanceof z.ZodArray) return schema.clone({ ...schema.def, element: inner(schema.def.element) })
  if (schema instanceof z.ZodUnion)
    return schema.clone({ ...schema.def, options: schema.def.options.map((option) => inner(option)) })
  if (schema instanceof z.ZodRecord) return schema.clone({ ...schema.def, valueType: inner(schema.def.valueType) })
  if (schema instanceof z.ZodTuple) {
    const { items, rest } = schema.def
    return schema.clone({ ...schema.def, items: items.map(inner), rest: rest && inner(rest) })
  }
  if (schema instanceof z.ZodLazy) return z.lazy(() => inner(schema.def.getter()))
  // What leaves is what counts.
  if (schema instanceof z.ZodPipe) return inner(schema.def.out)
  if (schema instanceof z.ZodNullable) return z.nullable(inner(schema.def.innerType))
  if (schema instanceof z.ZodOptional) return z.optional(inner(schema.def.innerType))
  return schema
}

const inner = (schema: z.core.$ZodType): z.ZodType => exactly(schema as z.ZodType)
