import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLogger } from '../lib/logger.ts'
import { inFront } from './in-front.ts'
import { createServer } from './server.ts'

let app: ReturnType<typeof createServer>
let url: string
let finish: () => void
beforeEach(async () => {
  app = createServer({ log: createLogger('silent') })
  app.get('/known', async () => 'by the framework')
  inFront(app, (request, response, closing) => {
    if (request.url === '/known') return false
    if (closing) response.writeHead(503)
    if (request.url === '/slow') finish = () => response.end('late')
    else response.end('in front')
    return true
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
})
afterEach(() => app.close())

const text = async (path: string) => (await fetch(url + path)).text()

test('a request that is handled in front never reaches the framework, and the rest does', async () => {
  expect(await text('/unknown')).toBe('in front')
  expect(await text('/known')).toBe('by the framework')
})

test('closing waits for what was taken', async () => {
  const late = text('/slow')
  await expect.poll(() => typeof finish).toBe('function')
  const closed = app.close()
  finish()
  expect(await late).toBe('late')
  await closed
})
