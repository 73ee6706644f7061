/** JSON Schema for people: a type in a few words, and the fields of an object as rows of a table. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly description?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

export const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

/** What stands in backticks is code. */
export const words = (text: string): string => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>')

const code = (text: string) => `<code>${escaped(text)}</code>`

export const schemaAnchor = (name: string): string => `schema-${name}`

/** As HTML: a schema with a name is a link to it. */
export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return linkTo(schema.$ref.split('/').at(-1) ?? '')
  const several = schema.anyOf ?? schema.oneOf
  if (several !== undefined) return several.map(typeOf).filter(isFirst).join(' or ')
  if (schema.allOf !== undefined) return schema.allOf.map(typeOf).filter(isFirst).join(' and ')
  if (schema.const !== undefined) return code(JSON.stringify(schema.const))
  if (schema.enum !== undefined) return schema.enum.map((value) => code(JSON.stringify(value))).join(' | ')
  if (schema.type === undefined) return schema.properties === undefined ? 'any JSON' : 'object'
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type
  return types.map((type) => plainType(type, schema)).join(' or ')
}

const linkTo = (name: string) => `<a href="#${escaped(schemaAnchor(name))}">${escaped(name)}</a>`
const isFirst = (text: string, at: number, all: readonly string[]) => all.indexOf(text) === at

function plainType(type: string, schema: Schema): string {
  if (type === 'array') return `list of ${schema.items ? typeOf(schema.items) : 'any JSON'}${limits(schema)}`
  if (type === 'string') return `${schema.format === undefined ? 'text' : escaped(schema.format)}${limits(schema)}`
  if (type === 'object' && schema.properties === undefined && typeof schema.additionalProperties === 'object')
    return `object of ${typeOf(schema.additionalProperties)}`
  return `${escaped(type)}${limits(schema)}`
}

function limits(schema: Schema): string {
  const least = schema.minimum ?? schema.minLength ?? schema.minItems
  const most = schema.maximum ?? schema.maxLength ?? schema.maxItems
  if (least === undefined && most === undefined) return ''
  if (most === undefined) return ` (from ${least})`
  return least === undefined ? ` (up to ${most})` : ` (${least} to ${most})`
}

const DEEPEST = 3

/** Rows of name, type and words; fields within fields under their path. */
export function fieldRows(schema: Schema, before = '', depth = 0): string {
  return Object.entries(schema.properties ?? {})
    .map(([name, field]) => {
      const isRequired = schema.required?.includes(name) === true
      const given = field.default === undefined ? '' : ` <em>default ${code(JSON.stringify(field.default))}</em>`
      const row = `<tr><td>${code(`${before}${name}`)}${isRequired ? '' : '<small>?</small>'}</td><td>${typeOf(
        field,
      )}${given}</td><td>${words(field.description ?? '')}</td></tr>`
      return depth < DEEPEST ? row + innerRows(field, `${before}${name}`, depth + 1) : row
    })
    .join('')
}

function innerRows(field: Schema, path: string, depth: number): string {
  if (field.properties !== undefined) return fieldRows(field, `${path}.`, depth)
  if (field.items?.properties !== undefined) return fieldRows(field.items, `${path}[].`, depth)
  return (field.anyOf ?? field.oneOf ?? []).map((one) => innerRows(one, path, depth)).join('')
}

/** A table of the fields of a schema, or its type in words when it has none. */
export function schemaTable(schema: Schema): string {
  const inner = schema.type === 'array' && schema.items !== undefined ? schema.items : schema
  const rows = fieldRows(inner)
  if (rows === '') return `<p>${typeOf(schema)}</p>`
  const note = inner === schema ? '' : '<p>A list of:</p>'
  return `${note}<table><thead><tr><th>Field</th><th>Type</th><th></th></tr></thead><tbody>${rows}</tbody></table>`
}
