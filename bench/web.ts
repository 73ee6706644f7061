import { chromium, type Page } from 'playwright-core'
import { sendStory, story } from '../src/demo/index.ts'
import { CHROMIUM } from '../test/support/chromium.ts'
import { PASSWORD, RunningService, TOKEN, USER } from './support/running-service.ts'

/**
 * The web app in a real Chromium on the demo's story. How long from a click in the rail until the page stands there, with the answers
 * already known (a page change on warm data), and how evenly a table of 10,000 rows scrolls: frames that took longer than 50 ms.
 * `npm run bench web 20` clicks twenty rounds.
 */
const ROUNDS = Number(process.argv[2] ?? 10)
const VISITORS = 3_000
const ROWS = 10_000
const PAGES = ['Insights', 'Dashboards', 'Persons', 'Groups', 'Recordings', 'Playlists', 'Definitions', 'Home']

/** Three seconds of a steady hand on the wheel. */
const SCROLL = `new Promise((done) => {
  const box = document.querySelector('.table-box-tall')
  const frames = []
  let last = performance.now()
  const began = last
  const step = (now) => {
    frames.push(now - last)
    last = now
    box.scrollTop += 240
    if (now - began < 3000) requestAnimationFrame(step)
    else done({ frames: frames.slice(2), rows: box.querySelectorAll('tbody tr').length, scrolled: box.scrollTop })
  }
  requestAnimationFrame(step)
})`

const service = new RunningService()
const browser = await chromium.launch(CHROMIUM)
try {
  await service.start()
  const events = await fill()
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } })
  const page = await context.newPage()
  await signIn(page)
  console.log(`${events.toLocaleString('en')} events, Chromium ${browser.version()}`)
  await pageChanges(page)
  await scrolling(page)
} finally {
  await browser.close()
  await service.stop()
  service.remove()
}

async function fill(): Promise<number> {
  const events = story({ end: Date.now(), visitors: VISITORS })
  await sendStory(events, { url: at(''), token: TOKEN, onProgress: () => {} })
  for (let tries = 0; tries < 600; tries++) {
    const { results } = await service.api<{ results: { count: number }[] }>('query/', {
      query: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode' }], dateRange: { date_from: 'all' } },
    })
    if (results[0]?.count === events.length) return events.length
    await new Promise((later) => setTimeout(later, 100))
  }
  throw new Error('the events did not arrive')
}

async function signIn(page: Page): Promise<void> {
  await page.goto(at('/sign-in'))
  await page.getByLabel('Email').fill(USER)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/project/**')
  await still(page)
}

async function pageChanges(page: Page): Promise<void> {
  // Once through all of them: code and answers are there afterwards.
  for (const name of PAGES) {
    await page.locator('.rail').getByRole('link', { name, exact: true }).click()
    await still(page)
  }
  const times = new Map<string, number[]>(PAGES.map((name) => [name, []]))
  for (let round = 0; round < ROUNDS; round++)
    for (const name of PAGES) times.get(name)?.push(await page.evaluate<number>(clickAndWait(name)))
  console.log('\npage change on warm data, ms from the click until it is drawn')
  for (const [name, taken] of times) console.log(`  ${name.padEnd(12)} ${spread(taken)}`)
  console.log(`  ${'all'.padEnd(12)} ${spread([...times.values()].flat())}`)
}

async function scrolling(page: Page): Promise<void> {
  const sql = `SELECT uuid, event, distinct_id, timestamp FROM events ORDER BY timestamp LIMIT ${ROWS}`
  await page.goto(at(`/project/1/sql?sql=${encodeURIComponent(sql)}`))
  await page.locator('.table-box-tall').waitFor()
  await still(page)
  const { frames, rows, scrolled } = await page.evaluate<{ frames: number[]; rows: number; scrolled: number }>(SCROLL)
  const long = frames.filter((frame) => frame > 50)
  console.log(`\na table of ${ROWS.toLocaleString('en')} rows, scrolled ${scrolled.toLocaleString('en')} px`)
  console.log(`  rows in the document   ${rows}`)
  console.log(`  frame, ms              ${spread(frames)}`)
  console.log(`  frames over 50 ms      ${long.length} of ${frames.length}`)
}

/** Nothing grey, nothing being asked. */
async function still(page: Page): Promise<void> {
  await page.locator('.skeleton, [aria-busy="true"]').first().waitFor({ state: 'detached' })
}

function at(path: string): string {
  return `http://127.0.0.1:${service.port}${path}`
}

/** In the page, so that nothing but the page is measured: until its title is the new one, nothing is grey, and a frame was drawn. */
function clickAndWait(name: string): string {
  return `new Promise((done, fail) => {
  const link = [...document.querySelectorAll('.rail a')].find((it) => it.textContent === ${JSON.stringify(name)})
  const before = document.querySelector('#content > .page')
  const began = performance.now()
  link.click()
  const look = () => {
    const now = document.querySelector('#content > .page')
    const there = now && now !== before && now.querySelector('h1') && !now.querySelector('.skeleton')
    if (there) requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)))
    else if (performance.now() - began > 10000) fail(new Error('the page did not come'))
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
})`
}

function spread(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b)
  const part = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(0)
  return `median ${part(0.5).padStart(4)}   95% ${part(0.95).padStart(4)}   worst ${part(1).padStart(4)}`
}
