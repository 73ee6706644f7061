import { z } from 'zod'
import { ERRORS, type ErrorCode } from '../../http/errors.ts'
import type { DescribedEndpoint } from '../frame/route.ts'
import { CAPTURE_PATHS } from './describe-capture.ts'

/** The API in the words of OpenAPI 3.1, made of the very schemas that validate requests. */
export function describeApi(endpoints: readonly DescribedEndpoint[], publicUrl: string) {
  const paths: Record<string, Record<string, object>> = {}
  for (const described of endpoints) {
    const path = described.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [described.method.toLowerCase()]: operation(described) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Footfall',
      version: '1',
      description:
        'Capture and management API. Paths under /api/environments/ are also served under /api/projects/; a trailing slash is optional; `.csv` and `.json` may follow the path where `format` is known.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl }],
    paths: { ...paths, ...CAPTURE_PATHS },
    components: {
      securitySchemes: {
        personalApiKey: { type: 'http', scheme: 'bearer', description: 'A personal API key, phx_...' },
        session: { type: 'apiKey', in: 'cookie', name: 'footfall_session' },
      },
      schemas: { Error: ERROR },
    },
  }
}

export type ApiDescription = ReturnType<typeof describeApi>

const ERROR = {
  type: 'object',
  required: ['type', 'code', 'detail', 'attr'],
  properties: {
    type: { type: 'string', enum: [...new Set(Object.values(ERRORS).map(([, type]) => type))] },
    code: { type: 'string', enum: Object.keys(ERRORS) },
    detail: { type: 'string' },
    attr: { type: ['string', 'null'] },
  },
}

function operation({ path, method, endpoint }: DescribedEndpoint) {
  const { summary, scope, access, body } = endpoint
  return {
    operationId: `${method.toLowerCase()}_${path
      .replace(/^\/api\//, '')
      .replace(/[^a-z_]+/gi, '_')
      .replace(/^_|_$/g, '')}`,
    summary,
    tags: [tagOf(path)],
    ...(scope === null ? {} : { 'x-scope': scope }),
    security: access === 'anyone' ? [] : [...(access === 'session' ? [] : [{ personalApiKey: [] }]), { session: [] }],
    parameters: [...pathParameters(path), ...queryParameters(endpoint)],
    ...(body ? { requestBody: { content: { 'application/json': { schema: schemaOf(body) } } } } : {}),
    responses: responses(path, endpoint),
  }
}

const tagOf = (path: string) =>
  path.replace(/^\/api\/(environments\/:project_id\/)?/, '').split('/')[0] ||
  (path.includes(':project_id') ? 'projects' : 'api')

const pathParameters = (path: string) =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))

function queryParameters({ query, csv }: DescribedEndpoint['endpoint']) {
  const { properties = {}, required = [] } = query
    ? (schemaOf(query) as { properties?: Record<string, object>; required?: string[] })
    : {}
  const parameters = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
  if (csv)
    parameters.push({ name: 'format', in: 'query', required: false, schema: { type: 'string', enum: ['csv', 'json'] } })
  return parameters
}

function responses(
  path: string,
  { status = 200, query, body, access, answer, csv, errors = [] }: DescribedEndpoint['endpoint'],
) {
  const codes: ErrorCode[] = [
    ...(query || body ? (['invalid_input'] as const) : []),
    ...(access === 'anyone' ? [] : (['not_authenticated', 'permission_denied', 'throttled'] as const)),
    ...(path.includes(':') ? (['not_found'] as const) : []),
    ...errors,
  ]
  const refused = Object.fromEntries(codes.map((code) => [ERRORS[code][0], ERROR_ANSWER]))
  return { ...refused, [status]: success(status, answer, csv === true) }
}

const ERROR_ANSWER = {
  description: 'Refused, with the reason',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
}

function success(status: number, answer: z.ZodType | undefined, csv: boolean) {
  if (status === 204) return { description: 'Done' }
  if (status >= 400) return { description: 'Always refused' }
  return {
    description: 'Success',
    content: {
      'application/json': { schema: answer ? schemaOf(answer) : {} },
      ...(csv ? { 'text/csv': { schema: { type: 'string' } } } : {}),
    },
  }
}

/** What may be sent; what a schema turns it into is our business. */
function schemaOf(schema: z.ZodType): object {
  const { $schema, ...described } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    reused: 'inline',
    cycles: 'ref',
  })
  return described
}
