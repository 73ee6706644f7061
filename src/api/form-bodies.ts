import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../http/errors.ts'
import { parseJson } from '../lib/json.ts'

const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data']
/** Scripts send playlists as forms too; everything else is JSON only. */
const TAKES_FORMS = /\/session_recording_playlists\b/
/** Fields whose text is JSON. */
const JSON_FIELDS = new Set(['filters'])

export function readFormBodies(scope: FastifyInstance): void {
  scope.addContentTypeParser(FORMS, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    if (!TAKES_FORMS.test(request.routeOptions.url ?? '')) throw unsupported(request)
    return fieldsOf(await formOf(request, body))
  })
}

/** Refusals of a body are decided before the handler runs, and say so by their status. */
export const unsupported = (request: FastifyRequest): Error =>
  Object.assign(
    new ApiError('unsupported_media_type', `Unsupported media type "${request.headers['content-type']}" in request.`),
    { statusCode: 415 },
  )

async function formOf(request: FastifyRequest, body: Buffer): Promise<FormData> {
  try {
    const headers = { 'content-type': request.headers['content-type'] as string }
    return await new Response(new Uint8Array(body), { headers }).formData()
  } catch (error) {
    throw refused('parse_error', `The form cannot be read: ${(error as Error).message}.`)
  }
}

function fieldsOf(form: FormData): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const [name, value] of form) {
    if (typeof value !== 'string') throw refused('invalid_input', 'Files are not taken here: send text.', name)
    if (!JSON_FIELDS.has(name)) fields[name] = value
    else if (value !== '') fields[name] = jsonOf(name, value)
  }
  return fields
}

function jsonOf(name: string, text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    throw refused('invalid_input', 'Value must be valid JSON.', name)
  }
}

const refused = (code: 'parse_error' | 'invalid_input', detail: string, attr: string | null = null): Error =>
  Object.assign(new ApiError(code, detail, { attr }), { statusCode: 400 })
