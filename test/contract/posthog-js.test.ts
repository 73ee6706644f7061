import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ProjectSettings } from '../../src/capture/index.ts'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { type CaptureServer, KEY, PROJECT, startCaptureServer } from '../support/capture-server.ts'

/**
 * posthog-js in a real browser. The page and the service have different origins, so that every rule of CORS applies: what the SDK
 * cannot read it sends again.
 */
let project: ProjectSettings
let server: CaptureServer
let shop: Server
let shopUrl: string
let browser: TestBrowser
let page: Page
let failed: string[]

beforeAll(async () => {
  server = await startCaptureServer({ projects: { find: (token) => (token === KEY ? project : undefined) } })
  shop = createServer((_request, answer) => {
    answer.setHeader('content-type', 'text/html')
    answer.end(`<!doctype html><title>Shop</title><button id="buy">Buy</button><input id="name">
      <script src="${server.url}/static/array.js"></script>`)
  })
  await new Promise<void>((done) => shop.listen(0, '127.0.0.1', done))
  shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  shop?.close()
  await server?.stop()
})

beforeEach(async () => {
  // The page of the last test still says goodbye when it closes.
  await page?.context().close()
  project = PROJECT
  failed = []
  server.log.clear()
  server.refused.length = 0
  page = await (await browser.newContext()).newPage()
  page.on('requestfailed', (request) => failed.push(`${request.url()} ${request.failure()?.errorText}`))
  page.on('response', (answer) => {
    if (answer.status() >= 400 && !answer.url().endsWith('favicon.ico'))
      failed.push(`${answer.url()} ${answer.status()}`)
  })
})

/** Loads the page and starts the SDK as a site would. */
async function visit(options: Record<string, unknown> = {}): Promise<void> {
  await page.goto(`${shopUrl}/p1?utm_source=letter`)
  await page.evaluate(
    ([key, host, more]) => {
      const { posthog } = globalThis as unknown as { posthog: { init(key: unknown, options: object): void } }
      posthog.init(key, {
        api_host: host,
        opt_out_useragent_filter: true,
        request_queue_config: { flush_interval_ms: 250 },
        ...(more as object),
      })
    },
    [KEY, server.url, options] as const,
  )
}

const tell = (method: string, ...args: unknown[]) =>
  page.evaluate(
    ([name, values]) => {
      const { posthog } = globalThis as unknown as { posthog: Record<string, (...args: unknown[]) => void> }
      posthog[name]?.(...values)
    },
    [method, args] as const,
  )

const names = () => server.log.events.map(({ event }) => event)
const stored = (event: string) => server.log.events.find((each) => each.event === event)

test('every kind of event arrives once, from another origin', async () => {
  await visit({ disable_session_recording: true })
  await tell('capture', 'custom', { price: 9.5 })
  await tell('identify', 'ada', { name: 'Ada' })
  await tell('group', 'company', 'acme', { size: 12 })
  await tell('alias', 'ada@example.com')
  await tell('capture', 'grouped')
  const wanted = ['$pageview', 'custom', '$identify', '$groupidentify', '$create_alias', 'grouped']
  await expect.poll(names).toEqual(expect.arrayContaining(wanted))

  expect(stored('custom')?.properties).toMatchObject({ price: 9.5, utm_source: 'letter' })
  expect(stored('$identify')).toMatchObject({ distinctId: 'ada', properties: { $set: { name: 'Ada' } } })
  expect(stored('$groupidentify')?.properties).toMatchObject({ $group_type: 'company', $group_key: 'acme' })
  expect(stored('grouped')?.properties.$groups).toEqual({ company: 'acme' })
  const uuids = server.log.events.map(({ uuid }) => uuid)
  expect(new Set(uuids).size).toBe(uuids.length)
  expect(server.log.warnings).toEqual([])
  expect(failed).toEqual([])
})

test('the last events leave with the page', async () => {
  await visit({ disable_session_recording: true })
  await expect.poll(names).toContain('$pageview')
  await page.goto('about:blank')
  await expect.poll(names).toContain('$pageleave')
})

test('autocapture is on by default', async () => {
  await visit({ disable_session_recording: true })
  // It starts when the configuration is there, which may be after the first click.
  const click = () => page.click('#buy').then(names)
  await expect.poll(click, { interval: 250 }).toContain('$autocapture')
  expect(stored('$autocapture')?.properties.$elements_chain).toMatch(/button/)
})

test('autocapture is off when the project does not want it', async () => {
  project = { ...PROJECT, autocaptureOptOut: true }
  await visit({ disable_session_recording: true })
  await expect.poll(names).toContain('$pageview')
  await page.click('#buy')
  await tell('capture', 'after the click')
  await expect.poll(names).toContain('after the click')
  // The page of the test before may still be heard of.
  const who = await page.evaluate<string>('posthog.get_distinct_id()')
  const own = server.log.events.filter(({ distinctId }) => distinctId === who)
  expect(own.map(({ event }) => event)).not.toContain('$autocapture')
})

test('a session is recorded and uploaded', async () => {
  await visit()
  await page.fill('#name', 'hello')
  // The recorder keeps what it has to itself until it sees somebody do something.
  const click = () => page.click('#buy').then(() => server.log.recordings.length)
  await expect.poll(click, { interval: 250 }).toBeGreaterThan(0)
  const [recording] = server.log.recordings
  expect(recording).toMatchObject({ project: PROJECT.id, lib: 'web', snapshotSource: 'web' })
  const types = server.log.recordings.flatMap(({ items }) => items).map((item) => (item as { type: number }).type)
  expect(types).toEqual(expect.arrayContaining([4, 2]))
  expect(failed).toEqual([])
})

test('no session is recorded when the project does not want it', async () => {
  project = { ...PROJECT, sessionRecordingOptIn: false }
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await visit()
  await tell('capture', 'done')
  await expect.poll(names).toContain('done')
  expect(asked.filter((path) => /recorder|^\/s\//.test(path))).toEqual([])
})
