import { z } from 'zod'

/**
 * The one table of what can go wrong with a request: status, type and the words used when nothing better is known.
 * Every refusal a client sees has one shape, {type, code, detail, attr}. docs/ERRORS.md is generated from this table.
 */
export const ERRORS = {
  // Who are you
  not_authenticated: [401, 'authentication_error', 'Authentication credentials were not provided.'],
  authentication_failed: [401, 'authentication_error', 'Incorrect authentication credentials.'],
  permission_denied: [403, 'authentication_error', 'You do not have permission to perform this action.'],
  // What is it you want
  not_found: [404, 'invalid_request', 'Not found.'],
  method_not_allowed: [405, 'invalid_request', 'Method not allowed.'],
  not_acceptable: [406, 'invalid_request', 'Could not satisfy the request Accept header.'],
  unsupported_media_type: [415, 'invalid_request', 'Unsupported media type in request.'],
  parse_error: [400, 'invalid_request', 'JSON parse error.'],
  malformed_request: [400, 'invalid_request', 'This is not a well-formed HTTP request.'],
  request_timeout: [408, 'invalid_request', 'The request did not arrive in time.'],
  headers_too_large: [431, 'invalid_request', 'The headers of the request are too large.'],
  conflict: [409, 'server_error', 'The request conflicts with the current state.'],
  // What is wrong with a field
  required: [400, 'validation_error', 'This field is required.'],
  blank: [400, 'validation_error', 'This field may not be blank.'],
  null: [400, 'validation_error', 'This field may not be null.'],
  max_length: [400, 'validation_error', 'This field is too long.'],
  too_long: [400, 'validation_error', 'This field is too long.'],
  invalid_input: [400, 'validation_error', 'Invalid input.'],
  invalid_key: [400, 'validation_error', 'Only letters, digits, hyphens and underscores are allowed.'],
  unique: [400, 'validation_error', 'There is one with this name already.'],
  // Capture
  empty_body: [
    400,
    'validation_error',
    'The request has no body: send a JSON event, an array of events or a batch object.',
  ],
  invalid_encoding: [400, 'validation_error', 'The body could not be decoded.'],
  invalid_shape: [400, 'validation_error', 'The body is not an event, an array of events or a batch object.'],
  empty_batch: [
    400,
    'validation_error',
    'The batch holds no event. Send at least one, such as {"event": "...", "distinct_id": "..."}.',
  ],
  missing_api_key: [401, 'authentication_error', 'No project API key: send it as api_key.'],
  invalid_api_key: [401, 'authentication_error', 'The project API key is not valid.'],
  event_too_large: [
    413,
    'invalid_request',
    'The event is larger than 1 MB and was not stored: send less in properties, put large texts elsewhere and send a link.',
  ],
  body_too_large: [413, 'invalid_request', 'The request body is too large.'],
  // Not now
  throttled: [429, 'throttled_error', 'Request was throttled.'],
  query_too_heavy: [
    400,
    'validation_error',
    'The query needs more time or memory than is allowed: narrow the date range or filters.',
  ],
  query_cancelled: [400, 'invalid_request', 'The query was cancelled.'],
  overloaded: [503, 'server_error', 'The service cannot take this request now. Nothing was stored; send it again.'],
  unavailable: [503, 'server_error', 'A part of the service is not available right now. Please try again.'],
  error: [500, 'server_error', 'A server error occurred.'],
} as const satisfies Record<string, readonly [status: number, type: string, detail: string]>

export type ErrorCode = keyof typeof ERRORS

const types = [...new Set(Object.values(ERRORS).map(([, type]) => type))]

/** The body of every refusal. */
export const errorSchema = z
  .object({
    type: z.enum(types),
    code: z.enum(Object.keys(ERRORS) as ErrorCode[]),
    detail: z.string().meta({ description: 'What was wrong, in words for people.' }),
    attr: z.string().nullable().meta({ description: 'The field that is meant, its path joined by "__".' }),
  })
  .meta({ id: 'Error' })
export type ErrorAnswer = z.infer<typeof errorSchema>
