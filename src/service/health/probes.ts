import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'

/** Whether everything that this process needs is available; what is missing, in words. */
export type Readiness = () => Promise<{
  readonly missing: readonly string[]
  readonly details: Readonly<Record<string, unknown>>
}>

export function registerProbes(app: FastifyInstance, readiness: Readiness, metrics: Registry): void {
  // The second names are PostHog's, for deployments that are configured to use them.
  for (const path of ['/_health', '/_liveness']) app.get(path, async () => ({ status: 'alive' }))
  for (const path of ['/_ready', '/_readiness'])
    app.get(path, async (_request, reply) => {
      const { missing, details } = await readiness()
      if (missing.length > 0) reply.code(503)
      return {
        status: missing.length > 0 ? 'not ready' : 'ready',
        ...(missing.length > 0 ? { missing } : {}),
        ...details,
      }
    })
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.metrics()))
}
