/** The capture paths of the description: they are not made of schemas, because capture takes almost anything. */
const refused = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
})

const responses = {
  200: {
    description: 'Durably accepted. Events without a name or without a distinct id are left out, and leave a warning.',
    content: { 'application/json': { schema: { type: 'object' } } },
  },
  400: refused('The body cannot be read'),
  401: refused('The project API key is missing or unknown'),
  413: refused('The body is too large'),
  503: refused('Nothing was stored: send it again'),
}

const EVENT = {
  type: 'object',
  required: ['event'],
  properties: {
    event: { type: 'string' },
    distinct_id: { type: 'string' },
    properties: { type: 'object' },
    timestamp: { type: 'string', format: 'date-time' },
    uuid: { type: 'string', format: 'uuid' },
  },
}

const body = (schema: object) => ({ required: true, content: { 'application/json': { schema } } })

export const CAPTURE_PATHS = {
  '/i/v0/e/': {
    post: {
      operationId: 'capture_event',
      summary: 'Capture an event',
      tags: ['capture'],
      security: [],
      parameters: [],
      requestBody: body({
        ...EVENT,
        required: ['api_key', 'event', 'distinct_id'],
        properties: { api_key: { type: 'string' }, ...EVENT.properties },
      }),
      responses,
    },
  },
  '/batch/': {
    post: {
      operationId: 'capture_batch',
      summary: 'Capture a batch of events',
      tags: ['capture'],
      security: [],
      parameters: [],
      requestBody: body({
        type: 'object',
        required: ['api_key', 'batch'],
        properties: {
          api_key: { type: 'string' },
          historical_migration: { type: 'boolean', default: false },
          batch: { type: 'array', items: EVENT },
        },
      }),
      responses,
    },
  },
}
