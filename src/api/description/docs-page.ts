import { groupBy } from '../../lib/group-by.ts'
import type { ApiDescription } from './describe.ts'
import { escaped, type Schema, schemaAnchor, schemaTable, typeOf, words } from './docs-schemas.ts'
import { DOCS_STYLE } from './docs-style.ts'

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly 'x-scope'?: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<Record<string, Response>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}

interface Response {
  readonly $ref?: string
  readonly description?: string
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

interface Described extends Operation {
  readonly path: string
  readonly method: string
}

/** The description as a page for people: no script, nothing from elsewhere. */
export function docsPage(description: ApiDescription): string {
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(
      ([method, operation]): Described => ({ ...operation, path, method: method.toUpperCase() }),
    ),
  )
  const groups = [...groupBy(operations, ({ tags }) => tags[0] ?? 'other')].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const schemas = Object.entries(description.components.schemas as Record<string, Schema>)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Footfall API</title><style>${DOCS_STYLE}</style></head>
<body><nav aria-label="Resources">${groups.map(([tag, of]) => groupLinks(tag, of)).join('')}
<h2><a href="#errors">Errors</a></h2><h2><a href="#schemas">Schemas</a></h2></nav>
<main><h1>Footfall API</h1><p>${words(description.info.description)}</p>
<p>Send a personal API key as <code>Authorization: Bearer phx_...</code>. The same as data, for programs:
<a href="/api/schema/">/api/schema/</a> (OpenAPI 3.1). A field marked <small>?</small> may be left out.</p>
${groups.map(([tag, of]) => group(tag, of)).join('')}
${errorsSection(description)}
<h2 id="schemas">Schemas</h2>${schemas.map(schemaSection).join('')}</main></body></html>`
}

const group = (tag: string, operations: readonly Described[]) =>
  `<h2 id="${escaped(tag)}">${escaped(titleOf(tag))}</h2>${operations.map(section).join('')}`

const titleOf = (tag: string) => tag.replaceAll('_', ' ')

const groupLinks = (tag: string, operations: readonly Described[]) =>
  `<details><summary><a href="#${escaped(tag)}">${escaped(titleOf(tag))}</a></summary><ul>${operations
    .map(
      ({ operationId, method, path }) =>
        `<li><a href="#${escaped(operationId)}"><b>${method}</b> ${escaped(shortened(path))}</a></li>`,
    )
    .join('')}</ul></details>`

const shortened = (path: string) => path.replace(/^\/api\/(environments\/\{project_id\}\/)?/, '') || path

function section(operation: Described): string {
  const { operationId, method, path, summary } = operation
  return `<section id="${escaped(operationId)}"><h3><span class="${method}">${method}</span> <code>${escaped(
    path,
  )}</code> <a class="anchor" href="#${escaped(operationId)}" aria-label="Link to this operation">#</a></h3>
<p>${words(summary)}</p><p class="access">${accessOf(operation)}</p>
${parametersTable(operation.parameters)}${bodyTable(operation)}${answers(operation.responses)}</section>`
}

function accessOf({ security, 'x-scope': scope }: Operation): string {
  if (security.length === 0) return 'Needs no credentials.'
  const needs = scope === undefined ? '' : `, scope <code>${escaped(scope)}</code>`
  return security.some((one) => 'personalApiKey' in one) ? `Personal API key${needs}, or session.` : 'Session only.'
}

function parametersTable(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return ''
  const rows = parameters
    .map(
      ({ name, in: where, required, schema, description = '' }) =>
        `<tr><td><code>${escaped(name)}</code>${required ? '' : '<small>?</small>'}</td><td>${typeOf(
          schema,
        )}</td><td>${words([where === 'path' ? 'In the path.' : '', description].join(' ').trim())}</td></tr>`,
    )
    .join('')
  return `<h4>Parameters</h4><table><tbody>${rows}</tbody></table>`
}

function bodyTable({ requestBody }: Operation): string {
  const schema = requestBody?.content['application/json']?.schema
  return schema === undefined ? '' : `<h4>Body</h4>${schemaTable(schema)}`
}

function answers(responses: Operation['responses']): string {
  const told = Object.entries(responses).filter(([, { $ref }]) => $ref === undefined)
  const refused = Object.entries(responses).filter(([, { $ref }]) => $ref !== undefined)
  const links = refused.map(([status]) => `<a href="#error-${escaped(status)}">${escaped(status)}</a>`).join(' ')
  return `<h4>Answers</h4>${told.map(([status, response]) => answer(status, response)).join('')}${
    links === '' ? '' : `<p>Refused with ${links}</p>`
  }`
}

function answer(status: string, { description = '', content = {} }: Response): string {
  const { 'application/json': json, ...others } = content
  const types = Object.keys(others).map((type) => `<code>${escaped(type)}</code>`)
  const also = types.length === 0 ? '' : json ? ` Also as ${types.join(', ')}.` : ` As ${types.join(' or ')}.`
  const isNamed = json?.schema.$ref !== undefined
  const what = json && isNamed ? `: ${typeOf(json.schema)}.` : '.'
  return `<p><b>${escaped(status)}</b> ${escaped(description)}${what}${also}</p>${
    json && !isNamed ? schemaTable(json.schema) : ''
  }`
}

function errorsSection({ components }: ApiDescription): string {
  const rows = Object.entries(components.responses)
    .map(([name, { description }]) => {
      const status = name.replace(/\D/g, '')
      const codes = description.replace(/^Refused: /, '').split(', ')
      const cell = codes.map((one) => `<code>${escaped(one)}</code>`).join(' ')
      return `<tr id="error-${status}"><td><b>${status}</b></td><td>${cell}</td></tr>`
    })
    .join('')
  return `<h2 id="errors">Errors</h2>
<p>Every refusal is an <a href="#${schemaAnchor('Error')}">Error</a>; these are the codes of each status.</p>
<table><tbody>${rows}</tbody></table>`
}

const schemaSection = ([name, schema]: [string, Schema]) =>
  `<section id="${escaped(schemaAnchor(name))}"><h3>${escaped(name)}</h3>${
    schema.description === undefined ? '' : `<p>${words(schema.description)}</p>`
  }${schemaTable(schema)}</section>`
