import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createServer } from '../../http/server.ts'
import { createLogger } from '../../lib/logger.ts'
import { registerProbes } from './probes.ts'

let app: FastifyInstance
let missing: string[]
beforeEach(() => {
  missing = []
  app = createServer({ log: createLogger('silent') })
  registerProbes(app, async () => ({ missing, details: { roles: ['api'] } }), new Registry())
})
afterEach(() => app.close())

const ask = async (url: string) => {
  const answer = await app.inject({ url })
  return { status: answer.statusCode, body: answer.json() }
}

it.each(['/_health', '/_liveness'])('%s says that the process lives, whatever is missing', async (path) => {
  missing = ['postgres does not answer']
  expect(await ask(path)).toEqual({ status: 200, body: { status: 'alive' } })
})

it.each(['/_ready', '/_readiness'])('%s says whether all is there, and else what is missing', async (path) => {
  expect(await ask(path)).toEqual({ status: 200, body: { status: 'ready', roles: ['api'] } })
  missing = ['postgres does not answer', 'the log takes no events: the disk is full']
  expect(await ask(path)).toEqual({ status: 503, body: { status: 'not ready', missing, roles: ['api'] } })
})
