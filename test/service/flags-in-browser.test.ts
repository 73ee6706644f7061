import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { startTestService, type TestService, TOKENS } from '../support/service.ts'

/** posthog-js in a real browser, on a page of another origin, against the whole service. */

let service: TestService
let shop: Server
let shopUrl: string
let browser: TestBrowser
let page: Page
let asked: number

beforeAll(async () => {
  service = await startTestService()
  shop = createServer((_request, answer) => {
    answer.setHeader('content-type', 'text/html')
    answer.end(`<!doctype html><title>Shop</title><script src="${service.url}/static/array.js"></script>`)
  })
  await new Promise<void>((done) => shop.listen(0, '127.0.0.1', done))
  shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`
  browser = await openBrowser()
  const everybody = [{ properties: [], rollout_percentage: 100 }]
  await flag('colours', {
    groups: [{ properties: [], rollout_percentage: 100, variant: 'blue' }],
    multivariate: {
      variants: [
        { key: 'red', rollout_percentage: 50 },
        { key: 'blue', rollout_percentage: 50 },
      ],
    },
    payloads: { blue: '{"shade":"grün ✓"}' },
  })
  await flag('everybody', { groups: everybody })
  await flag('for-pro', {
    groups: [{ properties: [{ key: 'plan', type: 'person', operator: 'exact', value: 'pro' }] }],
  })
  await flag('kept', { groups: [{ properties: [], rollout_percentage: 50 }] }, { ensure_experience_continuity: true })
  const { status, text } = await service.api('early_access_feature/', {
    body: { name: 'New editor', stage: 'beta', description: 'Writes faster' },
  })
  expect(status, text).toBe(201)
  await service.waitFor(async () => Object.keys(await flagsFor('x')).length === 5, 'the flags')
})
afterAll(async () => {
  await browser?.close()
  shop?.close()
  await service?.stop()
})

beforeEach(async () => {
  await page?.context().close()
  asked = 0
  page = await (await browser.newContext()).newPage()
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/flags/' && request.method() === 'POST') asked++
  })
})

async function flag(key: string, filters: object, more: object = {}) {
  const { status, text } = await service.api('feature_flags/', { body: { key, filters, ...more } })
  expect(status, text).toBe(201)
}

async function flagsFor(distinct_id: string, more: object = {}): Promise<Record<string, { enabled: boolean }>> {
  const body = JSON.stringify({ token: TOKENS.one, distinct_id, ...more })
  const answer = await fetch(`${service.url}/flags/?v=2`, { method: 'POST', body })
  return ((await answer.json()) as { flags: Record<string, { enabled: boolean }> }).flags
}

type Sdk = Record<string, (...args: unknown[]) => unknown>

/** Starts the SDK as a site would; `window.heard` is what `onFeatureFlags` was told. */
async function visit(options: Record<string, unknown> = {}): Promise<void> {
  await page.goto(shopUrl)
  await page.evaluate(
    ([key, host, more]) => {
      const here = globalThis as unknown as { posthog: Sdk; heard: unknown[] }
      here.heard = []
      here.posthog.init?.(key, {
        api_host: host,
        opt_out_useragent_filter: true,
        disable_session_recording: true,
        request_queue_config: { flush_interval_ms: 250 },
        ...(more as object),
      })
      here.posthog.onFeatureFlags?.((flags: unknown, variants: unknown) => here.heard.push([flags, variants]))
    },
    [TOKENS.one, service.url, options] as const,
  )
}

const tell = <T>(method: string, ...args: unknown[]): Promise<T> =>
  page.evaluate(([name, values]) => (globalThis as unknown as { posthog: Sdk }).posthog[name]?.(...values) as never, [
    method,
    args,
  ] as const) as Promise<T>
const value = (key: string) => tell<boolean | string | undefined>('getFeatureFlag', key)
const heard = () => page.evaluate(() => (globalThis as unknown as { heard: [string[], object][] }).heard)

const calls = async (who: string) => {
  const query = {
    kind: 'EventsQuery',
    event: '$feature_flag_called',
    select: ['properties.$feature_flag', 'properties.$feature_flag_response'],
    where: [`distinct_id = '${who}'`],
    after: '-1d',
  }
  return (await service.api('query/', { body: { query, refresh: 'force_blocking' } })).body.results as unknown[][]
}

test('flags are there after the start, with variant and payload, and what was read is stored', async () => {
  await visit()
  await expect.poll(() => value('colours')).toBe('blue')
  const [[keys, variants] = [[], {}]] = await heard()
  expect(keys).toEqual(expect.arrayContaining(['colours', 'everybody']))
  expect(keys).not.toContain('for-pro')
  expect(variants).toMatchObject({ colours: 'blue', everybody: true })
  expect(await tell('getFeatureFlagPayload', 'colours')).toEqual({ shade: 'grün ✓' })
  expect(await value('for-pro')).toBe(false)
  expect(await tell('isFeatureEnabled', 'everybody')).toBe(true)
  const who = await tell<string>('get_distinct_id')
  await expect.poll(() => calls(who)).toContainEqual(['colours', 'blue'])
  await expect.poll(() => calls(who)).toContainEqual(['for-pro', 'false'])
  await expect.poll(async () => (await calls(who)).map(([key]) => key)).toContain('everybody')
})

test('bootstrapped flags count before the service has answered', async () => {
  await visit({ bootstrap: { featureFlags: { colours: 'red', 'only-here': true } }, advanced_disable_flags: true })
  expect(await value('colours')).toBe('red')
  expect(await value('only-here')).toBe(true)
  expect(asked).toBe(0)
})

test('a change of what is known of the person loads flags again', async () => {
  await visit()
  await expect.poll(() => value('for-pro')).toBe(false)
  const before = asked
  await tell('setPersonPropertiesForFlags', { plan: 'pro' })
  await expect.poll(() => value('for-pro')).toBe(true)
  expect(asked).toBeGreaterThan(before)
  // Nothing was stored: only the SDK sends it with every question.
  expect((await flagsFor(await tell<string>('get_distinct_id')))['for-pro']?.enabled).toBe(false)
})

test('early access: the feature is listed, and the choice of the visitor is kept', async () => {
  await visit({ person_profiles: 'always' })
  await expect.poll(() => value('new-editor')).toBe(false)
  const listed = await page.evaluate(
    () =>
      new Promise<{ name: string; flagKey: string }[]>((resolve) => {
        const { posthog } = globalThis as unknown as { posthog: Sdk }
        posthog.getEarlyAccessFeatures?.((features: { name: string; flagKey: string }[]) => resolve(features), true)
      }),
  )
  expect(listed).toMatchObject([{ name: 'New editor', flagKey: 'new-editor' }])
  await tell('updateEarlyAccessFeatureEnrollment', 'new-editor', true)
  await expect.poll(() => value('new-editor')).toBe(true)
  const who = await tell<string>('get_distinct_id')
  await expect.poll(async () => (await flagsFor(who))['new-editor']?.enabled).toBe(true)
  await tell('updateEarlyAccessFeatureEnrollment', 'new-editor', false)
  await expect.poll(async () => (await flagsFor(who))['new-editor']?.enabled).toBe(false)
})

test('a flag with experience continuity keeps its value over identify()', async () => {
  await visit()
  await expect.poll(() => value('kept')).toBeDefined()
  const anonymous = await value('kept')
  // Somebody who would get the other value by their own id.
  let n = 0
  while (((await flagsFor(`user-${n}`)).kept?.enabled ?? false) === anonymous) n++
  const before = asked
  await tell('identify', `user-${n}`)
  await expect.poll(() => asked).toBeGreaterThan(before)
  await expect.poll(async () => (await flagsFor(`user-${n}`)).kept?.enabled).toBe(anonymous)
  expect(await value('kept')).toBe(anonymous)
})
