import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBrowser, settled, signIn, type TestBrowser, visit } from '../support/browser.ts'
import { meta, upload } from '../support/recordings.ts'
import { startTestService, type TestService } from '../support/service.ts'

/** Anybody who knows the project key can upload a recording, and somebody with a session will watch it. */
let service: TestService
let browser: TestBrowser
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

it('cannot run a script of its own in the page that plays it, or inside the picture of the recorded page', async () => {
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

it('calls no foreign host unless whoever watches asks for it, and then without a word about us', async () => {
  const hits: { url: string | undefined; referer: string | undefined }[] = []
  const foreign = http.createServer((request, response) => {
    hits.push({ url: request.url, referer: request.headers.referer })
    response.end()
  })
  let connections = 0
  foreign.on('connection', () => connections++)
  await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve))
  const host = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`
  const at = Date.now() - 60_000
  const recorded = {
    type: 0,
    id: id++,
    childNodes: [
      element(
        'html',
        {},
        element(
          'head',
          {},
          element('meta', { name: 'referrer', content: 'unsafe-url' }),
          element('link', { rel: 'preconnect', href: host }),
          element('link', { rel: 'stylesheet', href: `${host}/style.css` }),
          element(
            'style',
            {},
            text(
              `@font-face{font-family:f;src:url(${host}/font.woff)} p{font-family:f;background:url(${host}/bg.png)}`,
            ),
          ),
        ),
        element(
          'body',
          {},
          element('p', {}, text('A page with pictures')),
          element('img', { src: `${host}/picture.png`, referrerpolicy: 'unsafe-url' }),
          element('video', { src: `${host}/film.mp4`, poster: `${host}/poster.png` }),
        ),
      ),
    ],
  }
  const events = [
    meta(at),
    { type: 2, timestamp: at + 1, data: { node: recorded, initialOffset: { left: 0, top: 0 } } },
    meta(at + 60_000),
  ]
  await upload(service.url, { session: 'pictures', distinctId: 'pictures', events })
  await service.waitFor(
    async () => (await service.api('session_recordings/pictures/snapshots/')).text.includes('with pictures'),
    'its events',
  )
  const { page: where, ...visitor } = await visit(browser)
  try {
    await signIn({ page: where, ...visitor }, service.url)
    await where.goto(`${service.url}/project/1/recordings/pictures`)
    const frame = where.frameLocator('.player-stage iframe').first()
    await frame.getByText('A page with pictures').waitFor()
    // The browser has refused the picture when it says so; whatever else it wanted it asked for before.
    await where.waitForFunction(
      "document.querySelector('.player-stage iframe').contentDocument.querySelector('img')?.complete === true",
    )
    expect([hits, connections]).toEqual([[], 0])
    await where.getByLabel('Load images from the recorded site').click()
    await expect.poll(() => hits.map(({ url }) => url)).toContain('/picture.png')
    expect(hits.filter(({ referer }) => referer !== undefined)).toEqual([])
    await expect.poll(() => where.getByLabel('Load images from the recorded site').isChecked()).toBe(true)
  } finally {
    foreign.close()
    foreign.closeAllConnections()
  }
})
