import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, openApp } from '../support/app.ts'
import { accessibilityProblems, keepScreenshot, type Visit } from '../support/browser.ts'
import { click, consoleLine, fullSnapshot, meta, mutation, upload } from '../support/recordings.ts'
import type { TestService } from '../support/service.ts'

let app: App
let service: TestService
let visitor: Visit
let page: Page
let open: App['open']

const T0 = Date.now() - 2 * 3_600_000
const at = (seconds: number) => T0 + seconds * 1_000
/** Something of which a recording has a lot. */
const padding = (timestamp: number) => ({
  type: 5,
  timestamp,
  data: { tag: 'padding', payload: 'x'.repeat(700_000) },
})

/** Never idle for long, and not over before a slow test is. */
const SIX_MINUTES = Array.from({ length: 60 }, (_, i) => 3 + i * 6)

const BY_PLUGINS = [
  consoleLine(at(31), 'error', 'no such boat'),
  consoleLine(at(32), 'log', 'all is well'),
  {
    type: 6,
    timestamp: at(62),
    data: {
      plugin: 'rrweb/network@1',
      payload: {
        requests: [
          {
            name: 'https://site.example/api/boats',
            method: 'GET',
            responseStatus: 500,
            timestamp: at(61),
            duration: 120,
          },
          { name: 'https://site.example/logo.svg', responseStatus: 200, timestamp: at(60), duration: 8 },
        ],
      },
    },
  },
]

beforeAll(async () => {
  app = await openApp(async (service) => {
    // Five minutes in six uploads; each after the first is as large as a block.
    const long = { session: 'of-long', distinctId: 'long' }
    await upload(service.url, {
      ...long,
      events: [meta(at(0)), fullSnapshot(at(0), 'The beginning'), click(at(1)), click(at(5))],
    })
    for (const minute of [1, 2, 3, 4, 5]) {
      const from = minute * 60
      const events = [mutation(at(from), `Minute ${minute}`), padding(at(from + 1)), click(at(from + 5))]
      await upload(service.url, { ...long, events })
    }
    for (const who of ['ada', 'ben'])
      await upload(service.url, {
        session: `of-${who}`,
        distinctId: who,
        events: [
          meta(at(0)),
          fullSnapshot(at(0), `Page of ${who}`),
          ...SIX_MINUTES.map((s) => click(at(s))),
          ...(who === 'ben' ? BY_PLUGINS : []),
        ],
      })
    await service.capture({
      event: 'paid',
      distinct_id: 'ada',
      timestamp: new Date(at(15)).toISOString(),
      properties: { $session_id: 'of-ada' },
    })
    await service.stored()
  })
  ;({ service, visitor, page, open } = app)
})
afterAll(() => app?.close())

const position = () => page.getByRole('slider', { name: 'Position' }).inputValue().then(Number)
const frame = () => page.frameLocator('.player-stage iframe')
const button = (name: string) => page.getByRole('button', { name, exact: true })

/** Holds back every block that begins later, until it is told otherwise. */
async function holdBack(after: number) {
  const held: Route[] = []
  let holding = true
  await page.route('**/snapshots/?**', (route) => {
    const start = Number(new URL(route.request().url()).searchParams.get('start'))
    if (holding && start >= after) held.push(route)
    else void route.continue()
  })
  return {
    held,
    async release(how: (route: Route) => Promise<void> = (route) => route.continue()) {
      holding = false
      await Promise.all(held.splice(0).map(how))
    },
  }
}

describe('a long recording', () => {
  it('plays before all of it is there; where it is not yet there one waits, and goes on by itself', async () => {
    const { release } = await holdBack(at(60))
    await open('recordings/of-long')
    await frame().getByText('The beginning').waitFor()
    await button('Pause').waitFor()
    await expect.poll(() => page.locator('.timeline-loaded').getAttribute('style')).toMatch(/width: [12]?\d(\.\d+)?%/)

    await page.getByRole('slider', { name: 'Position' }).fill(String(242_000))
    await page.getByText(/^Loading, \d+%$/).waitFor()
    expect(await position()).toBe(242_000)
    expect(await frame().getByText('Minute 4').count()).toBe(0)
    await keepScreenshot(page, 'player-waiting')
    expect(await accessibilityProblems(page, 'waiting player')).toEqual([])
    await release()
    await frame().getByText('Minute 4').waitFor()
    await page.getByText(/^Loading/).waitFor({ state: 'detached' })
    await page.locator('.timeline-loaded[style*="width: 100"]').waitFor()
    await page.unrouteAll({ behavior: 'wait' })
  })

  it('of which a part cannot be had says so, and goes on when it can', async () => {
    const { held, release } = await holdBack(at(60))
    await open('recordings/of-long')
    await frame().getByText('The beginning').waitFor()
    await page.getByRole('slider', { name: 'Position' }).fill(String(122_000))
    await expect.poll(() => held.length).toBeGreaterThan(0)
    let refused = 0
    await release((route) => {
      refused++
      return route.fulfill({ status: 503, json: { detail: 'Come back later.' } })
    })
    await page.getByText('Come back later.').waitFor()
    // An answer is noted as a problem some moments after the page has it.
    await expect.poll(() => visitor.problems.length).toBe(refused)
    expect(visitor.problems.splice(0).every((problem) => problem.startsWith('503'))).toBe(true)
    await button('Try again').click()
    await frame().getByText('Minute 2').waitFor()
    await page.unrouteAll({ behavior: 'wait' })
  })
})

describe('the player', () => {
  it('is moved by keys, wherever the focus is but in a field', async () => {
    await open('recordings/of-ada')
    await frame().getByText('Page of ada').waitFor()
    await expect.poll(() => page.getByLabel('Skip inactivity').isChecked()).toBe(true)
    await page.locator('h1').click()
    await page.keyboard.press('Space')
    await button('Play').waitFor()
    const before = await position()
    await page.keyboard.press('ArrowRight')
    await page.waitForFunction(`document.querySelector('.timeline-range').value - ${before} > 4500`)
    // A button has the focus, then the slider: the arrows still jump.
    await button('Forward 5 seconds').click()
    await page.keyboard.press('ArrowRight')
    await page.waitForFunction(`document.querySelector('.timeline-range').value - ${before} > 14000`)
    await page.getByRole('slider', { name: 'Position' }).focus()
    await page.keyboard.press('ArrowLeft')
    await page.waitForFunction(`document.querySelector('.timeline-range').value - ${before} < 10500`)
    await page.keyboard.press('Space')
    await button('Pause').waitFor()
    await page.keyboard.press('Space')
    await button('Play').waitFor()
    // The focused button is what Space presses.
    await button('Play').focus()
    await page.keyboard.press('Space')
    await button('Pause').waitFor()
  })

  it('has the place and the speed in its address, and begins there', async () => {
    await open('recordings/of-ada?t=200&speed=4')
    await frame().getByText('Page of ada').waitFor()
    await button('Pause').click()
    await expect.poll(position).toBeGreaterThanOrEqual(200_000)
    await expect.poll(() => page.getByRole('radio', { name: '4×' }).isChecked()).toBe(true)
    await page.getByRole('slider', { name: 'Position' }).fill(String(100_000))
    await page.waitForURL('**/recordings/of-ada?t=100&speed=4')
    await page.getByRole('radio', { name: '1×' }).check({ force: true })
    await page.waitForURL('**/recordings/of-ada?t=100')
    await page.reload()
    await frame().getByText('Page of ada').waitFor()
    await button('Pause').click()
    await expect.poll(position).toBeGreaterThanOrEqual(100_000)
    await expect.poll(position).toBeLessThan(200_000)
  })

  it('shows the console and the network of a recording that has them', async () => {
    await open('recordings/of-ada')
    await frame().getByText('Page of ada').waitFor()
    await expect.poll(() => page.getByRole('tab').allTextContents()).toEqual(['Events · 1'])
    await open('recordings/of-ben')
    await page.getByRole('tab', { name: 'Console · 2' }).click()
    await page.getByRole('button', { name: /no such boat/ }).waitFor()
    await page.getByLabel('Errors only').check()
    await page.getByRole('button', { name: /all is well/ }).waitFor({ state: 'detached' })
    expect(await accessibilityProblems(page, 'console')).toEqual([])
    await keepScreenshot(page, 'recording-console')
    await page.getByRole('button', { name: /no such boat/ }).click()
    await page.waitForURL('**/recordings/of-ben?t=30')
    await page.getByRole('tab', { name: 'Network · 2' }).click()
    await page.getByRole('button', { name: /GET \/logo\.svg 200 · 8\s?ms/ }).waitFor()
    await page.getByLabel('Failed only').check()
    await page.getByRole('button', { name: /logo\.svg/ }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /GET \/api\/boats 500 · 120\s?ms/ }).click()
    await page.waitForURL('**/recordings/of-ben?t=60')
    await keepScreenshot(page, 'recording-network')
  })

  it('names what happened when the pointer is on its mark', async () => {
    await open('recordings/of-ada')
    await button('Pause').click()
    const mark = page.locator('.timeline-mark')
    await mark.locator('.timeline-label').waitFor({ state: 'hidden' })
    await mark.hover()
    await mark.getByText('paid 0:15').waitFor()
    await keepScreenshot(page, 'player-mark')
  })

  it('in a playlist shows who is next, and what was watched', async () => {
    const { body } = await service.api('session_recording_playlists/', { body: { name: 'Two' } })
    for (const id of ['of-ada', 'of-ben'])
      await service.api(`session_recording_playlists/${body.short_id}/recordings/${id}/`, { method: 'POST' })
    const unwatch = (id: string) =>
      service.api(`session_recordings/${id}/`, { method: 'PATCH', body: { viewed: false } })
    await Promise.all(['of-ada', 'of-ben'].map(unwatch))
    const list = (await service.api(`session_recording_playlists/${body.short_id}/recordings/`)).body.results
    const [first, second] = list.map(({ id }: { id: string }) => id.slice(3))

    await open(`playlists/${body.short_id}`)
    await expect.poll(() => page.getByText('watched').count()).toBe(0)
    await page.getByRole('link', { name: 'Play all' }).click()
    await page.getByRole('link', { name: `Next ${second} N` }).waitFor()
    await page.getByRole('tab', { name: 'Playlist · 1 of 2' }).click()
    const row = (who: string) => page.locator('.recording-side .recording-row').filter({ hasText: who })
    await row(first).getByText('watched').waitFor()
    await expect.poll(() => row(second).getByText('watched').count()).toBe(0)

    await page.locator('h1').click()
    await page.keyboard.press('n')
    await page.waitForURL(`**/recordings/of-${second}?**`)
    await page.getByRole('tab', { name: 'Playlist · 2 of 2' }).click()
    await row(second).getByText('watched').waitFor()
    await button('More').click()
    await page.getByRole('menuitem', { name: 'Mark as not watched' }).click()
    await row(second).getByText('watched').waitFor({ state: 'detached' })
    await button('More').click()
    await page.getByRole('menuitem', { name: 'Mark as watched' }).click()
    await row(second).getByText('watched').waitFor()
  })

  it('nothing went wrong on the way', () => {
    expect(visitor.problems).toEqual([])
  })
})
