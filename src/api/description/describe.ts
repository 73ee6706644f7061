import { z } from 'zod'
import { ERRORS, errorSchema } from '../../contract/errors.ts'
import { PATH_PARAMETERS } from '../../contract/path-parameters.ts'
import { isSchema, statusOf } from '../frame/answer.ts'
import type { DescribedEndpoint } from '../frame/route.ts'
import { errorCodesOf } from '../frame/statuses.ts'
import { CAPTURE_PATHS } from './describe-capture.ts'
import { NamedSchemas } from './named-schemas.ts'

/** The API in the words of OpenAPI 3.1, made of the very schemas that validate requests and answers. */
export function describeApi(endpoints: readonly DescribedEndpoint[], publicUrl: string) {
  const schemas = new NamedSchemas()
  schemas.of(errorSchema, 'output', 'error')
  const paths: Record<string, Record<string, object>> = {}
  for (const described of endpoints) {
    const path = described.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [described.method.toLowerCase()]: operation(described, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Footfall',
      version: '1',
      description: [
        'Capture and management API. Paths under /api/environments/ are also served under /api/projects/;',
        'a trailing slash is optional; `.csv` and `.json` may follow the path where `format` is known.',
      ].join(' '),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl }],
    paths: { ...paths, ...CAPTURE_PATHS },
    components: {
      securitySchemes: {
        personalApiKey: { type: 'http', scheme: 'bearer', description: 'A personal API key, phx_...' },
        session: { type: 'apiKey', in: 'cookie', name: 'footfall_session' },
      },
      responses: REFUSALS,
      schemas: Object.fromEntries(Object.entries(schemas.components).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
}

export type ApiDescription = ReturnType<typeof describeApi>

const refusalName = (status: number) => `Refused${status}`

/** One for each status of the table of errors, with the codes that have it. */
const REFUSALS = Object.fromEntries(
  [...new Set(Object.values(ERRORS).map(([status]) => status))].toSorted().map((status) => {
    const codes = Object.entries(ERRORS).flatMap(([code, [of]]) => (of === status ? [code] : []))
    return [
      refusalName(status),
      {
        description: `Refused: ${codes.join(', ')}`,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]
  }),
)

function operation(described: DescribedEndpoint, schemas: NamedSchemas) {
  const { path, method, endpoint } = described
  const { summary, scope, access, body } = endpoint
  const operationId = idOf(described)
  return {
    operationId,
    summary,
    tags: [tagOf(path)],
    ...(scope === null ? {} : { 'x-scope': scope }),
    security: access === 'anyone' ? [] : [...(access === 'session' ? [] : [{ personalApiKey: [] }]), { session: [] }],
    parameters: [...pathParameters(path, schemas), ...queryParameters(endpoint, operationId, schemas)],
    ...(body && method !== 'GET'
      ? { requestBody: { content: { 'application/json': { schema: schemas.of(body, 'input', operationId) } } } }
      : {}),
    responses: responses(described, operationId, schemas),
  }
}

const idOf = ({ path, method }: Pick<DescribedEndpoint, 'path' | 'method'>) =>
  `${method.toLowerCase()}_${path
    .replace(/^\/api\//, '')
    .replace(/[^a-z_]+/gi, '_')
    .replace(/^_|_$/g, '')}`

/** What stands beside its resource rather than by itself. */
const GROUPED: Readonly<Record<string, string>> = {
  '': 'projects',
  environments: 'projects',
  accepted_tokens: 'projects',
  reset_token: 'projects',
  groups_types: 'groups',
  login: 'sign_in',
  logout: 'sign_in',
  signup: 'sign_in',
  docs: 'description',
  schema: 'description',
}

function tagOf(path: string): string {
  const [word = ''] = path.replace(/^\/api\/(environments\/:project_id\/)?/, '').split('/')
  return GROUPED[word] ?? word
}

const pathParameters = (path: string, schemas: NamedSchemas) =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const { description, ...schema } = schemas.of(PATH_PARAMETERS[name] ?? z.string(), 'input', name)
    return { name, in: 'path', required: true, ...(description === undefined ? {} : { description }), schema }
  })

function queryParameters(
  { query, csv }: DescribedEndpoint['endpoint'],
  operationId: string,
  schemas: NamedSchemas,
): object[] {
  const { properties = {}, required = [] } = query
    ? (schemas.of(query, 'input', operationId) as {
        properties?: Record<string, { description?: string }>
        required?: string[]
      })
    : {}
  const parameters: object[] = Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }))
  if (csv)
    parameters.push({ name: 'format', in: 'query', required: false, schema: { type: 'string', enum: ['csv', 'json'] } })
  return parameters
}

function responses(described: DescribedEndpoint, operationId: string, schemas: NamedSchemas) {
  const { otherAnswers = {} } = described.endpoint
  const refused = errorCodesOf(described).map((code) => {
    const [status] = ERRORS[code]
    return [status, { $ref: `#/components/responses/${refusalName(status)}` }] as const
  })
  const others = Object.entries(otherAnswers).map(([status, schema]) => {
    const json = { schema: schemas.of(schema, 'output', operationId) }
    return [status, { description: 'Another answer', content: { 'application/json': json } }] as const
  })
  return {
    ...Object.fromEntries(refused),
    ...Object.fromEntries(others),
    [statusOf(described.endpoint)]: success(described.endpoint, operationId, schemas),
  }
}

function success({ answer, csv }: DescribedEndpoint['endpoint'], operationId: string, schemas: NamedSchemas) {
  const asText = { schema: { type: 'string' } }
  if (!isSchema(answer)) {
    if (answer.kind === 'no content') return { description: 'Done' }
    if (answer.kind === 'not allowed') return { description: 'Always refused' }
    return { description: 'Success', content: Object.fromEntries(answer.types.map((type) => [type, asText])) }
  }
  return {
    description: 'Success',
    content: {
      'application/json': { schema: schemas.of(answer, 'output', operationId) },
      ...(csv ? { 'text/csv': asText } : {}),
    },
  }
}
