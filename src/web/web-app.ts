import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from '../lib/logger.ts'
import { pageHeaders } from './headers.ts'

/** Two folders up from src/web/ and from dist/web/ alike. */
const BUILT = fileURLToPath(new URL('../../web/dist', import.meta.url))

/**
 * The web app: one index.html for every address of the app, and its files. Files in assets/ have a hash in their name
 * and never change; all others are revalidated each time. Anything that is neither a file nor a page is a 404: a
 * page for a browser that asks for one, else that of the API.
 */
export async function registerWebApp(
  app: FastifyInstance,
  { log, root = BUILT }: { log: Logger; root?: string },
): Promise<void> {
  if (!existsSync(path.join(root, 'index.html'))) {
    log.warn({ root }, 'the web app is not built: run `npm start`, or `node scripts/build-web.mjs`')
    return
  }
  const shared = { preCompressed: true, index: false, cacheControl: false } as const
  await app.register(fastifyStatic, {
    ...shared,
    root: path.join(root, 'assets'),
    prefix: '/assets/',
    decorateReply: false,
    setHeaders: (reply) => void reply.headers({ ...ALWAYS, 'cache-control': 'public, max-age=31536000, immutable' }),
  })
  await app.register(fastifyStatic, {
    ...shared,
    root,
    wildcard: false,
    globIgnore: ['index.html', 'assets/**', '**/*.br', '**/*.gz'],
    setHeaders: (reply) => void reply.headers({ ...ALWAYS, 'cache-control': 'no-cache' }),
  })
  const page = (request: FastifyRequest, reply: FastifyReply) =>
    reply.headers({ ...pageHeaders(request.query), 'cache-control': 'no-cache' }).sendFile('index.html')
  for (const address of PAGES) app.get(address, page)
  // A person who mistyped an address gets a page that says so, a program the 404 of the API.
  app.get('/*', (request, reply) => {
    const forPeople = request.headers.accept?.includes('text/html') && !OF_PROGRAMS.test(request.url)
    return forPeople ? page(request, reply.status(404)) : reply.callNotFound()
  })
}

const OF_PROGRAMS = /^\/(api|assets|static|array|i|e|s|batch|capture|decide|flags)(\/|$|\?)/

const ALWAYS = { 'x-content-type-options': 'nosniff' } as const

/** Every address of a page; the app's own router does the rest. */
const PAGES = ['/', '/sign-in', '/join/*', '/project/*', '/account', '/shared/*']
