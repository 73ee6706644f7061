import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

/** One ClickHouse HTTP request, parsed as far as possible without its body. */
interface EngineRequest {
  readonly queryId: string | undefined
  readonly database: string | undefined
  readonly defaultFormat: string | undefined
  /** The project of a query. Statements of the service itself have none. */
  readonly quotaKey: string | undefined
  /** The statement in the URL. If there is one, the body is its data. */
  readonly urlQuery: string | undefined
  readonly settings: ReadonlyMap<string, string>
  readonly params: Map<string, string>
}

/** Parts of the protocol that are not settings of the engine, or that this server always does. */
const NOT_SETTINGS = new Set([
  'query',
  'query_id',
  'database',
  'default_format',
  'session_id',
  'session_timeout',
  'session_check',
  'close_session',
  'role',
  'user',
  'password',
  'quota_key',
  'compress',
  'decompress',
  'buffer_size',
  'wait_end_of_query',
  'stacktrace',
  'client_protocol_version',
  'enable_http_compression',
  'send_progress_in_http_headers',
])

export function readRequest(request: IncomingMessage): EngineRequest {
  const url = new URL(request.url ?? '/', 'http://engine')
  const settings = new Map<string, string>()
  const params = new Map<string, string>()
  for (const [name, value] of url.searchParams) {
    if (name.startsWith('param_')) params.set(name.slice('param_'.length), value)
    else if (!NOT_SETTINGS.has(name)) settings.set(name, value)
  }
  const header = (name: string) => {
    const value = request.headers[name]
    return Array.isArray(value) ? value[0] : value
  }
  return {
    queryId: url.searchParams.get('query_id') || header('x-clickhouse-query-id'),
    database: url.searchParams.get('database') || header('x-clickhouse-database'),
    defaultFormat: url.searchParams.get('default_format') || header('x-clickhouse-format'),
    quotaKey: url.searchParams.get('quota_key') || header('x-clickhouse-quota'),
    urlQuery: url.searchParams.get('query') || undefined,
    settings,
    params,
  }
}

/** The decompressed body. */
export function decodedBody(request: IncomingMessage): Readable {
  const decoders = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress }
  const encoding = request.headers['content-encoding']
  if (encoding === undefined || encoding === 'identity') return request
  const decoder = decoders[encoding as keyof typeof decoders]
  if (!decoder)
    throw new Error(`Code: 89. DB::Exception: Unknown compression method ${encoding}. (UNKNOWN_COMPRESSION_METHOD)`)
  const decoded = decoder()
  request.on('error', (error) => decoded.destroy(error))
  return request.pipe(decoded)
}

/**
 * The statement of a request without one in its URL: the body, or a form that also has parameters too long for a URL.
 */
export async function statementInBody(body: Buffer, contentType: string | undefined, params: Map<string, string>) {
  if (!contentType?.startsWith('multipart/form-data')) return body.toString('utf8')
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData()
  let statement = ''
  for (const [name, value] of form) {
    const text = typeof value === 'string' ? value : await value.text()
    if (name === 'query') statement = text
    else if (name.startsWith('param_')) params.set(name.slice('param_'.length), text)
  }
  return statement
}
