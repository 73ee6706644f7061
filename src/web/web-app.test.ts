import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createServer } from '../http/server.ts'
import { createLogger } from '../lib/logger.ts'
import { registerWebApp } from './web-app.ts'

const log = createLogger('silent')
const SCRIPT = 'console.log("hello")'.repeat(100)
let folder: string
let app: FastifyInstance

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'footfall-web-'))
  await mkdir(path.join(folder, 'assets'))
  await writeFile(path.join(folder, 'index.html'), '<title>Footfall</title>')
  await writeFile(path.join(folder, 'theme.js'), '1')
  await writeFile(path.join(folder, 'assets', 'app-abc123.js'), SCRIPT)
  await writeFile(path.join(folder, 'assets', 'app-abc123.js.gz'), gzipSync(SCRIPT))
  app = createServer({ log })
  await registerWebApp(app, { log, root: folder })
})
afterAll(async () => {
  await app.close()
  await rm(folder, { recursive: true, force: true })
})

describe('the web app', () => {
  it.each(['/', '/sign-in?token=x', '/project/1', '/project/1/insights/new?q=%7B%7D'])(
    'is one page at %s',
    async (url) => {
      const answer = await app.inject(url)
      expect(answer.statusCode).toBe(200)
      expect(answer.body).toContain('<title>Footfall</title>')
      expect(answer.headers['cache-control']).toBe('no-cache')
      expect(answer.headers['content-security-policy']).toContain("script-src 'self';")
      expect(answer.headers['x-frame-options']).toBe('DENY')
    },
  )

  it('keeps hashed files for ever, and sends them compressed to those who take it', async () => {
    const answer = await app.inject({ url: '/assets/app-abc123.js', headers: { 'accept-encoding': 'gzip' } })
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(answer.headers['content-encoding']).toBe('gzip')
    expect(answer.headers['content-type']).toContain('javascript')
    expect((await app.inject('/assets/app-abc123.js')).body).toBe(SCRIPT)
    expect((await app.inject('/theme.js')).headers['cache-control']).toBe('no-cache')
  })

  it.each(['/api/nothing/', '/assets/gone-000.js', '/batches', '/theme.js.map'])(
    'leaves %s a 404 in the shape of the API',
    async (url) => {
      const answer = await app.inject(url)
      expect(answer.statusCode).toBe(404)
      expect(answer.json()).toMatchObject({ code: 'not_found' })
    },
  )

  it('is left out, not fatal, when it was not built', async () => {
    const bare = createServer({ log })
    await registerWebApp(bare, { log, root: path.join(folder, 'nowhere') })
    expect((await bare.inject('/')).statusCode).toBe(404)
    await bare.close()
  })
})
