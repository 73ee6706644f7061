import { z } from 'zod'
import { describedFormOf } from '../../contract/described-as.ts'

type JsonSchema = z.core.JSONSchema.BaseSchema
type Direction = 'input' | 'output'

const REFERENCE = '#/$defs/'

/**
 * Turns schemas into JSON Schema for one OpenAPI document. A schema with an id (`.meta({ id })`) stands once, under
 * components/schemas, and is referred to from wherever it is used; every other schema stands where it is used.
 */
export class NamedSchemas {
  readonly components: Record<string, JsonSchema> = {}
  readonly #made = { input: new Map<z.ZodType, JsonSchema>(), output: new Map<z.ZodType, JsonSchema>() }

  /**
   * `input`: what may be sent; `output`: what is answered. `where` names what has no name of its own but refers to
   * itself.
   */
  of(schema: z.ZodType, io: Direction, where: string): JsonSchema {
    const made = this.#made[io].get(schema) ?? this.#make(schema, io, where)
    this.#made[io].set(schema, made)
    return made
  }

  #make(schema: z.ZodType, io: Direction, where: string): JsonSchema {
    // Within another schema, so that one with an id is a reference like all others.
    const { properties = {}, $defs = {} } = z.toJSONSchema(z.object({ it: schema }), {
      io,
      unrepresentable: 'any',
      reused: 'inline',
      cycles: 'ref',
      override: ({ zodSchema, jsonSchema }) => {
        const form = describedFormOf(zodSchema)
        if (form !== undefined) Object.assign(jsonSchema, { anyOf: undefined, ...this.of(form, io, where) })
        simplify(jsonSchema, io)
      },
    })
    const names = new Map(Object.keys($defs).map((name) => [name, this.#nameFor(name, $defs, where)]))
    for (const [name, described] of Object.entries($defs)) {
      const { id: _, ...rest } = renamed(described, names) as JsonSchema
      this.components[names.get(name) as string] ??= rest
    }
    return renamed(properties.it, names) as JsonSchema
  }

  /** What is sent may differ from what is answered under the same name: then it gets a name of its own. */
  #nameFor(name: string, $defs: Record<string, JsonSchema>, where: string): string {
    if (name.startsWith('__')) return `${where}_${name.replace(/^\D+/, '')}`
    const same = new Map(Object.keys($defs).map((each) => [each, each]))
    const { id: _, ...described } = renamed($defs[name] as JsonSchema, same) as JsonSchema
    const known = this.components[name]
    return known === undefined || JSON.stringify(known) === JSON.stringify(described) ? name : `${name}Sent`
  }
}

/**
 * Without what only says how a validator works: limits of a double, patterns of a known format, fields that are still
 * to come.
 */
function simplify(schema: JsonSchema, io: Direction): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.format !== undefined) delete schema.pattern
  if (io === 'output' && schema.additionalProperties === false) delete schema.additionalProperties
  delete schema.propertyNames
}

function renamed(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((each) => renamed(each, names))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (key !== '$ref' || typeof inner !== 'string' || !inner.startsWith(REFERENCE))
        return [key, renamed(inner, names)]
      return [key, `#/components/schemas/${names.get(inner.slice(REFERENCE.length))}`]
    }),
  )
}
