import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import type { Rrweb } from '../support/recordings.ts'
import { startTestService, type TestService, TOKENS } from '../support/service.ts'

/** A page recorded by posthog-js as our service hands it out, stored by the service, and played by rrweb-player. */
let service: TestService
let site: Server
let siteUrl: string
let browser: TestBrowser

/** What runs in the pages. */
const SCRIPTS = String.raw`
function describePage(root) {
  const lines = []
  const walk = (node, depth) => {
    const indent = ' '.repeat(depth)
    if (node.nodeType === 3 && node.textContent.trim()) lines.push(indent + node.textContent.trim())
    if (node.nodeType !== 1) return
    // What the player itself adds: where the pointer is, and no help with typing.
    const attributes = [...node.attributes]
      .map(({ name, value }) => name + '=' + (name === 'class' ? value.replace(':hover', '').trim() : value))
      .filter((attribute) => attribute !== 'class=' && attribute !== 'autocomplete=off')
      .sort()
    lines.push(indent + '<' + node.tagName.toLowerCase() + ' ' + attributes.join(' ') + '>')
    for (const child of node.childNodes) walk(child, depth + 1)
  }
  const app = root && root.getElementById('app')
  if (app) walk(app, 0)
  return lines.join('\n')
}
function shop() {
  const list = document.getElementById('list')
  for (const [i, name] of ['tea', 'coffee', '<b>milk</b>', '🍰'].entries()) {
    const item = document.createElement('li')
    item.textContent = name
    item.dataset.number = String(i)
    list.append(item)
  }
  list.firstElementChild.remove()
  const note = document.getElementById('note')
  note.className = 'sold'
  note.textContent = 'sold out'
  note.setAttribute('style', 'margin-left: 3px;')
  document.getElementById('app').insertAdjacentHTML('beforeend', '<table><tr><td colspan="2">deep</td></tr></table>')
  console.error('the till is stuck')
  history.pushState({}, '', '/shop?paid=1')
}
function play(events) {
  const Player = rrwebPlayer.default ?? rrwebPlayer.Player ?? rrwebPlayer
  const player = new Player({
    target: document.getElementById('player'),
    props: { events, autoPlay: false, showWarning: true },
  })
  player.goto(player.getMetaData().totalTime + 1000, false)
}`

const PLAYER = createRequire(import.meta.url)
  .resolve('rrweb-player')
  .replace(/[^/]*$/, '')

beforeAll(async () => {
  service = await startTestService()
  const pages: Record<string, () => string | Promise<string>> = {
    '/shop':
      () => `<!doctype html><html><head><title>Shop</title><style>.sold { color: rgb(200, 0, 0) }</style></head><body>
      <main id="app"><h1>Shop</h1><ul id="list"></ul><input id="name" value=""><p id="note" class="new">nothing yet</p></main>
      <script src="${service.url}/static/array.js"></script><script src="/scripts.js"></script></body></html>`,
    '/scripts.js': () => SCRIPTS,
    '/player':
      () => `<!doctype html><html><head><link rel="stylesheet" href="/style.css"></head><body><div id="player"></div>
      <script src="/player.js"></script><script src="/scripts.js"></script></body></html>`,
    '/player.js': () => readFile(`${PLAYER}rrweb-player.umd.cjs`, 'utf8'),
    '/style.css': () => readFile(`${PLAYER}style.css`, 'utf8'),
  }
  site = createServer(async (request, answer) => {
    const path = new URL(request.url ?? '/', 'http://x').pathname
    const type = path.endsWith('.js') ? 'text/javascript' : path.endsWith('.css') ? 'text/css' : 'text/html'
    answer.setHeader('content-type', `${type}; charset=utf-8`)
    answer.end((await pages[path]?.()) ?? '')
  })
  await new Promise<void>((done) => site.listen(0, '127.0.0.1', done))
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  site?.close()
  await service?.stop()
})

/** The page, in a form in which two of them can be compared; `root` is the document it is in. */
const describePage = (page: Page, root: string): Promise<string> => page.evaluate(`describePage(${root})`)

async function record(): Promise<{ session: string; page: Page }> {
  const page = await (await browser.newContext()).newPage()
  await page.goto(`${siteUrl}/shop`)
  const options = { api_host: service.url, opt_out_useragent_filter: true, session_recording: { maskAllInputs: false } }
  await page.evaluate(`posthog.init('${TOKENS.one}', ${JSON.stringify(options)})`)
  await page.waitForFunction('posthog.sessionRecordingStarted()')
  await page.click('h1')
  await page.type('#name', 'Ada')
  await page.evaluate('shop()')
  const session: string = await page.evaluate('posthog.get_session_id()')
  return { session, page }
}

test('a page recorded by posthog-js is played by rrweb-player as it was', async () => {
  const { session, page } = await record()
  const path = `session_recordings/${session}/`
  const found = await service.waitFor(async () => {
    const { body } = await service.api(path)
    return body.keypress_count >= 3 && body.console_error_count === 1 && body
  }, 'the recording')
  expect(found).toMatchObject({
    id: session,
    start_url: `${siteUrl}/shop`,
    snapshot_source: 'web',
    snapshot_library: 'web',
    click_count: 1,
    console_error_count: 1,
  })
  expect(found.active_seconds).toBeGreaterThan(0)
  const listed = (await service.api('session_recordings/?date_from=-1h')).body
  expect(listed.results.map(({ id }: { id: string }) => id)).toContain(session)

  const snapshots = await service.waitFor(async () => {
    const answer = await service.api(`${path}snapshots/`)
    return answer.text.includes('sold out') && answer
  }, 'the last changes of the page')
  const events: Rrweb[] = snapshots.text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  expect(events.some(({ cv }) => cv !== undefined)).toBe(false)
  expect(events.map(({ timestamp }) => timestamp)).toEqual(events.map(({ timestamp }) => timestamp).sort())

  const original = await describePage(page, 'document')
  expect(original).toContain('<li data-number=2>')
  const player = await (await browser.newContext()).newPage()
  const complaints: string[] = []
  player.on('console', (message) => message.type() === 'warning' && complaints.push(message.text()))
  await player.goto(`${siteUrl}/player`)
  await player.evaluate(`play(${JSON.stringify(events)})`)
  await expect.poll(() => describePage(player, "document.querySelector('iframe')?.contentDocument")).toBe(original)
  expect(complaints).toEqual([])
})
