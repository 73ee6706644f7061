import type { FastifyRequest } from 'fastify'
import type { JsonObject } from '../../lib/json.ts'
import type { PublicRoute } from '../http/public-scope.ts'
import { queryOf } from '../http/query.ts'

/** One transparent dot. */
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
const CAMPAIGN = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content', 'gclid', 'fbclid'] as const
const OWN = new Set(['token', 'api_key', 'event', 'distinct_id', 'url', 'ref', 'dnt'])

/**
 * `/pixel.gif?token=...`: an event for mails and pages without scripts. `url` is the page (or the header Referer says
 * it), `ref` where the visitor came from, `event` another name than $pageview; other parameters become properties.
 * Without a `distinct_id` the visitor has an id of the day and no cookie. With `dnt=1` visitors who ask not to be
 * tracked (Do Not Track, Global Privacy Control) are not counted. The answer is always the picture.
 */
export const pixelRoute = (store: (item: JsonObject, request: FastifyRequest) => Promise<void>): PublicRoute => ({
  path: '/pixel.gif',
  methods: ['GET'],
  handler: async (request, reply) => {
    const query = queryOf(request)
    const asksNot = request.headers.dnt === '1' || request.headers['sec-gpc'] === '1'
    if (!(asksNot && query.get('dnt') === '1')) await store(itemOf(query, request.headers.referer), request)
    return reply.header('cache-control', 'no-store, private').type('image/gif').send(GIF)
  },
})

export function itemOf(query: URLSearchParams, referer: string | undefined): JsonObject {
  const page = query.get('url') ?? referer ?? ''
  const url = URL.canParse(page) ? new URL(page) : null
  const ref = query.get('ref') ?? ''
  const id = query.get('distinct_id')
  const properties: JsonObject = { $lib: 'footfall-pixel' }
  for (const [name, value] of query) if (!OWN.has(name)) properties[name] = value
  if (url) {
    properties.$current_url = page
    properties.$host = url.host
    properties.$pathname = url.pathname
    for (const name of CAMPAIGN) {
      const value = url.searchParams.get(name)
      if (value) properties[name] = value
    }
  }
  properties.$referrer = ref || '$direct'
  properties.$referring_domain = URL.canParse(ref) ? new URL(ref).hostname : '$direct'
  if (id === null) properties.$cookieless_mode = true
  return {
    api_key: query.get('token') ?? query.get('api_key') ?? '',
    event: query.get('event') ?? '$pageview',
    distinct_id: id ?? '$posthog_cookieless',
    properties,
  }
}
