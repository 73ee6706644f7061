import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../../http/errors.ts'
import { asParsed, parseJson } from '../../lib/json.ts'
import { refuseTooManyFields, unbracketed } from './bracketed.ts'

const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data']
/** Scripts send these as forms too; everything else is JSON only. */
const TAKES_FORMS =
  /\/(session_recording_playlists\b|insights\/(trend|funnel|retention|path|timing)\b|persons\/(:person_id|bulk_delete)$|cohorts\b|query\/check_auth_for_async)/
/** Fields whose text is JSON, where it is not read as such anyway. */
const JSON_FIELDS = new Set(['filters', 'properties'])
/** The one file that is taken: a list of ids. */
const FILE_FIELD = 'csv'

export function readFormBodies(scope: FastifyInstance): void {
  scope.addContentTypeParser(FORMS, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    const url = request.routeOptions.url ?? ''
    refuseJson(request, body)
    if (!TAKES_FORMS.test(url)) throw unsupported(request)
    return await fieldsOf(await formOf(request, body), /\/cohorts\b/.test(url))
  })
}

/**
 * What `curl -d '{...}'` sends without a header. Read as a form it would be one odd field, and everything it says would
 * be lost.
 */
function refuseJson(request: FastifyRequest, body: Buffer): void {
  const text = body.toString('utf8').trim()
  const type = request.headers['content-type']
  if (/^[[{"]/.test(text) || isJson(text))
    throw refused(
      'parse_error',
      `The body is JSON, but the header says Content-Type: ${type}. Send Content-Type: application/json.`,
    )
  if (text !== '' && !text.includes('=') && !text.startsWith('--'))
    throw refused('parse_error', 'The form has no field: send name=value, or JSON with Content-Type: application/json.')
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Refusals of a body are decided before the handler runs, and say so by their status. */
export const unsupported = (request: FastifyRequest): Error =>
  Object.assign(
    new ApiError(
      'unsupported_media_type',
      `${saidType(request.headers['content-type'])} Send JSON, with Content-Type: application/json.`,
    ),
    { statusCode: 415 },
  )

const saidType = (type: string | undefined): string =>
  type === undefined || type.trim() === ''
    ? 'The request has a body and no Content-Type.'
    : `Unsupported media type "${type}" in request.`

async function formOf(request: FastifyRequest, body: Buffer): Promise<FormData> {
  const boundary = /boundary="?([^";,\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1]
  refuseTooManyFields(occurrences(body, boundary === undefined ? '&' : `--${boundary}`))
  try {
    const headers = { 'content-type': request.headers['content-type'] as string }
    return await new Response(new Uint8Array(body), { headers }).formData()
  } catch (error) {
    throw refused('parse_error', `The form cannot be read: ${(error as Error).message}.`)
  }
}

function occurrences(body: Buffer, text: string): number {
  let count = 0
  for (let at = body.indexOf(text); at >= 0; at = body.indexOf(text, at + text.length)) count++
  return count
}

async function fieldsOf(form: FormData, takesFile: boolean): Promise<Record<string, unknown>> {
  const fields = new Map<string, unknown[]>()
  for (const [name, value] of form) {
    const isText = typeof value === 'string'
    if (!isText && !(takesFile && name === FILE_FIELD))
      throw refused('invalid_input', 'Files are not taken here: send text.', name)
    const text = isText ? value : await value.text()
    const given = fields.get(name) ?? []
    fields.set(name, given)
    if (!JSON_FIELDS.has(name)) given.push(isText ? asParsed(text) : text)
    else if (text !== '') given.push(jsonOf(name, text))
  }
  const given = [...fields].filter(([, values]) => values.length > 0)
  return { ...unbracketed(Object.fromEntries(given.map(([name, values]) => [name, single(name, values)]))) }
}

/** A field that is given several times is a list; one in brackets is so anyway. */
const single = (name: string, values: readonly unknown[]): unknown =>
  values.length === 1 && !name.endsWith('[]') ? values[0] : values

function jsonOf(name: string, text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    throw refused('invalid_input', 'Value must be valid JSON.', name)
  }
}

const refused = (code: 'parse_error' | 'invalid_input', detail: string, attr: string | null = null): Error =>
  Object.assign(new ApiError(code, detail, { attr }), { statusCode: 400 })
