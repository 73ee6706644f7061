import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBrowser, settled, signIn, visit } from '../support/browser.ts'
import { meta, upload } from '../support/recordings.ts'
import { startTestService, type TestService } from '../support/service.ts'

/** Anybody who knows the project key can upload a recording, and somebody with a session will watch it. */
let service: TestService
let browser: Browser
beforeAll(async () => {
  ;[service, browser] = await Promise.all([startTestService(), openBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

const DEED = 'top.broken = true; parent.broken = true; window.broken = true'
let id = 1
const element = (tagName: string, attributes: Record<string, string | boolean>, ...childNodes: object[]) => ({
  type: 2,
  id: id++,
  tagName,
  attributes,
  childNodes,
})
const text = (textContent: string) => ({ type: 3, id: id++, textContent })

const page = () => ({
  type: 0,
  id: id++,
  childNodes: [
    element(
      'html',
      {},
      element(
        'head',
        {},
        element('script', {}, text(DEED)),
        element('base', { href: 'https://evil.example/' }),
        element('meta', { 'http-equiv': 'refresh', content: '0;url=https://evil.example/' }),
      ),
      element(
        'body',
        { onload: DEED },
        element('p', {}, text('The hostile page')),
        element('script', { src: 'data:text/javascript,top.broken=true' }),
        element('img', { src: 'x', onerror: DEED }),
        element('svg', { onload: DEED }, element('script', {}, text(DEED))),
        element('iframe', { srcdoc: `<script>${DEED}</script>`, sandbox: 'allow-scripts allow-same-origin' }),
        element('iframe', { src: `javascript:${DEED}` }),
        element('object', { data: `data:text/html,<script>${DEED}</script>` }),
        element('a', { href: `javascript:${DEED}`, id: 'trap' }, text('Click me')),
        element('form', { action: `javascript:${DEED}` }, element('button', {}, text('Send'))),
      ),
    ),
  ],
})

it('cannot run a script of its own in the page that plays it, or inside the picture of the recorded page', {
  timeout: 120_000,
}, async () => {
  const at = Date.now() - 60_000
  const added = {
    source: 0,
    texts: [],
    attributes: [],
    removes: [],
    adds: [{ parentId: 2, nextId: null, node: element('img', { src: 'y', onerror: DEED }) }],
  }
  const events = [
    meta(at, `javascript:${DEED}`),
    { type: 2, timestamp: at + 1, data: { node: page(), initialOffset: { left: 0, top: 0 } } },
    { type: 3, timestamp: at + 300, data: added },
    meta(at + 60_000),
  ]
  expect(
    (await upload(service.url, { session: 'hostile', distinctId: `<img src=x onerror="${DEED}">`, events })).status,
  ).toBe(200)
  await service.waitFor(
    async () => (await service.api('session_recordings/')).body.results?.length === 1,
    'the recording',
  )
  await service.waitFor(
    async () => (await service.api('session_recordings/hostile/snapshots/')).text.includes('hostile page'),
    'its events',
  )

  const visitor = await visit(browser)
  await signIn(visitor, service.url)
  const where = visitor.page
  await where.goto(`${service.url}/project/1/recordings/hostile`)
  await settled(where)
  const frame = where.frameLocator('.player-stage iframe').first()
  await frame.getByText('The hostile page').waitFor()
  expect(await where.locator('.player-stage iframe').first().getAttribute('sandbox')).toBe('allow-same-origin')
  await frame.getByText('Click me').dispatchEvent('click')
  // Whatever would have run would have told the page that plays it.
  expect(await where.evaluate('window.broken')).toBeUndefined()
  expect(where.url()).toBe(`${service.url}/project/1/recordings/hostile`)
  expect(where.frames().filter((inner) => inner.url().includes('evil.example'))).toEqual([])
})
