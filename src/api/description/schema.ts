import { z } from 'zod'
import { streamOf } from '../frame/answer.ts'
import { type ApiRoutes, publicEndpoint } from '../frame/route.ts'
import { type ApiDescription, describeApi } from './describe.ts'
import { docsPage } from './docs-page.ts'

/**
 * The API's description of itself, for programs and for people. Added last: it describes whatever is there when it is
 * asked.
 */
export function addSchemaRoutes(routes: ApiRoutes, publicUrl: string): void {
  let made: ApiDescription | undefined
  const description = () => {
    made ??= describeApi(routes.endpoints, publicUrl)
    return made
  }
  routes.add('/api/schema/', {
    GET: publicEndpoint({
      summary: 'This description, as OpenAPI 3.1',
      answer: z.looseObject({ openapi: z.string() }),
      handle: description,
    }),
  })
  routes.add('/api/docs/', {
    GET: publicEndpoint({
      summary: 'This description, for people',
      answer: streamOf('text/html'),
      handle: ({ reply }) =>
        reply
          .type('text/html; charset=utf-8')
          .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
          .send(docsPage(description())),
    }),
  })
}
