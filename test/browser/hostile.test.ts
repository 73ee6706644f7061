import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, openApp } from '../support/app.ts'
import { settled, type Visit } from '../support/browser.ts'
import { click, fullSnapshot, meta, upload } from '../support/recordings.ts'
import type { TestService } from '../support/service.ts'

/** Whoever knows the project key may send any name. None may become markup, break a page, or push it off the screen. */
const MARKUP = '<img src=x onerror="window.hacked=1">'
const LONG = 'w'.repeat(190)
/** JavaScript makes no text of it, but throws. */
const WITHOUT_TEXT = { toString: 1, valueOf: 1 }
const ODD = Object.fromEntries(
  '$pathname $current_url $screen_name $referrer $browser $os $device_type $lib $geoip_country_code $exception_message odd length'
    .split(' ')
    .map((name) => [name, WITHOUT_TEXT]),
)
const NAMES = [
  MARKUP,
  '"><script>window.hacked=1</script>',
  'constructor',
  '__proto__',
  '\u202Eright to left\u202C',
  'nul\u0000byte',
  '👩‍👩‍👧‍👦🎉',
  LONG,
  '0',
]

let app: App
let service: TestService
let visitor: Visit
let page: Page
let open: App['open']
let person = ''

beforeAll(async () => {
  app = await openApp(async (service) => {
    await service.capture([
      ...NAMES.map((name, index) => ({
        event: name,
        distinct_id: `${MARKUP} ${index}`,
        properties: {
          [name]: name,
          $pathname: MARKUP,
          $session_id: 'hostile',
          $groups: { company: MARKUP },
          tiny: 0.00012,
          $set: { email: index === 0 ? `${MARKUP}@example.com` : undefined, name, notes: 'x'.repeat(10_000) },
        },
      })),
      {
        event: '$groupidentify',
        distinct_id: 'setup',
        properties: { $group_type: 'company', $group_key: MARKUP, $group_set: { name: MARKUP } },
      },
      { event: MARKUP, properties: {} },
      ...[MARKUP, 'constructor'].map((event) => ({
        event,
        distinct_id: `${MARKUP} 0`,
        properties: { ...ODD, $session_id: 'hostile', $groups: { company: MARKUP, length: WITHOUT_TEXT }, $set: ODD },
      })),
    ])
    await service.api('session_recording_playlists/', { body: { name: MARKUP, description: MARKUP } })
    await service.api('dashboards/', { body: { name: MARKUP, description: MARKUP } })
    const query = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: MARKUP }] }
    await service.api('insights/', { body: { name: MARKUP, saved: true, tags: [MARKUP], query } })
    const now = Date.now()
    await upload(service.url, {
      session: 'hostile',
      distinctId: `${MARKUP} 0`,
      events: [
        meta(now - 5_000, `https://example.com/${MARKUP}`),
        fullSnapshot(now - 5_000, MARKUP),
        click(now - 2_000),
        plugin(now - 1_000, 'rrweb/console@1', { level: WITHOUT_TEXT, payload: [WITHOUT_TEXT], trace: [WITHOUT_TEXT] }),
        plugin(now - 900, 'rrweb/network@1', {
          requests: [{ method: WITHOUT_TEXT, name: WITHOUT_TEXT, status: WITHOUT_TEXT }],
        }),
      ],
    })
    await service.stored()
    person = await service.waitFor(
      async () => (await service.api('persons/?search=@example.com')).body?.results?.[0]?.uuid as string | undefined,
    )
  })
  ;({ service, visitor, page, open } = app)
})
afterAll(() => app?.close())

const plugin = (timestamp: number, name: string, payload: object) => ({
  type: 6,
  timestamp,
  data: { plugin: name, payload },
})

const q = (draft: object) => `insights/new?q=${encodeURIComponent(JSON.stringify(draft))}`

const PAGES: Record<string, () => string> = {
  home: () => '',
  live: () => 'live',
  'live-problems': () => 'live?view=problems',
  persons: () => 'persons',
  person: () => `persons/${person}`,
  groups: () => 'groups',
  group: () => `groups/company/${encodeURIComponent(MARKUP)}`,
  definitions: () => 'definitions',
  'event properties': () => 'definitions?view=event',
  'person properties': () => 'definitions?view=person',
  insights: () => 'insights',
  dashboards: () => 'dashboards',
  playlists: () => 'playlists',
  recordings: () => 'recordings',
  recording: () => 'recordings/hostile',
  trends: () =>
    q({
      kind: 'trends',
      series: NAMES.filter((name) => !name.includes('\u0000')).map((event) => ({ event })),
      from: '-7d',
    }),
  'trends by a property': () =>
    q({ kind: 'trends', series: [{ event: null }], breakdown: { property: '$pathname', type: 'event' }, from: '-7d' }),
  pie: () =>
    q({
      kind: 'trends',
      series: [{ event: null }],
      breakdown: { property: 'name', type: 'person' },
      display: 'pie',
      from: '-7d',
    }),
  funnel: () => q({ kind: 'funnel', series: [{ event: MARKUP }, { event: LONG }], from: '-7d' }),
  paths: () => q({ kind: 'paths', series: [], pathTypes: ['custom_event'], from: '-7d' }),
  sql: () => `sql?sql=${encodeURIComponent('select event, properties from events limit 20')}`,
}

describe('names that mean harm', () => {
  it.each([1280, 390])(
    'are text on every page, %s px wide',
    async (width) => {
      const at = { width, height: width === 390 ? 844 : 860 }
      await page.setViewportSize(at)
      const found: string[] = []
      for (const [name, path] of Object.entries(PAGES)) {
        await open(path())
        await page.locator('#content h1').first().waitFor()
        const { markup, hacked, overflow } = await page.evaluate<{
          markup: number
          hacked: boolean
          overflow: number
        }>(`({
        markup: document.querySelectorAll('img[src="x"], a[href^="javascript"]').length,
        hacked: 'hacked' in window,
        overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      })`)
        if (markup > 0 || hacked) found.push(`${name} made markup of a name`)
        if (overflow > 0) found.push(`${name} is ${overflow} px too wide`)
        if (await page.getByText('Something went wrong').count()) found.push(`${name} broke`)
      }
      expect(found).toEqual([])
      expect(visitor.problems).toEqual([])
    },
    600_000,
  )

  it('stay inside the box that a chart shows under the pointer', async () => {
    await page.setViewportSize({ width: 1280, height: 860 })
    await open(q({ kind: 'trends', series: [{ event: LONG }, { event: MARKUP }], from: '-7d' }))
    const chart = page.locator('.chart canvas')
    // Until the chart listens to the pointer.
    const tips = async () => {
      const box = await chart.boundingBox()
      if (!box) return 0
      await page.mouse.move(box.x + box.width * 0.7, box.y + box.height / 2)
      await page.mouse.move(box.x + box.width * 0.72, box.y + box.height / 2)
      return page.locator('.tip-row').count()
    }
    await expect.poll(tips).toBeGreaterThan(0)
    const outside = () =>
      page.evaluate<number>(`(() => {
      const tip = document.querySelector('.tip').getBoundingClientRect()
      const values = [...document.querySelectorAll('.tip-value')].map((value) => value.getBoundingClientRect())
      return values.filter(({ right, left }) => right > tip.right + 1 || left < tip.left).length
    })()`)
    await expect.poll(outside).toBe(0)
  })

  it('and values of ten thousand letters show their beginning', async () => {
    await open(`persons/${person}`)
    await page.getByText('10,000 characters').waitFor()
  })

  it('a recorded page runs no script of its own', async () => {
    await open('recordings/hostile')
    const frame = page.locator('.player-stage iframe')
    await frame.waitFor()
    expect(await frame.getAttribute('sandbox')).toBe('allow-same-origin')
    await page.frameLocator('.player-stage iframe').getByText(MARKUP).waitFor()
  })

  it('a tiny average is not called nothing', async () => {
    await open(q({ kind: 'trends', series: [{ event: MARKUP, math: 'avg', property: 'tiny' }], from: '-7d' }))
    await page.locator('.data-table').getByText('0.00012').first().waitFor()
    await page.getByRole('heading', { name: /average of tiny/ }).waitFor()
  })
})

describe('addresses that somebody mistyped', () => {
  const WRONG = {
    kind: 'trends',
    series: [{ event: { a: 1 } }, { event: 'constructor' }],
    filters: 'x',
    breakdown: 5,
    from: 7,
  }

  it.each([
    ['a question of the wrong shapes', () => q(WRONG), 'constructor'],
    ['an unknown view', () => 'definitions?view=nonsense', 'Definitions'],
    ['panels that do not exist', () => `persons?panels=${encodeURIComponent('[1,{"to":"nowhere"}]')}`, 'Persons'],
  ])('%s still shows a page', async (_name, path, heading) => {
    await open(path())
    await page.getByRole('heading', { name: heading, exact: true }).waitFor()
    expect(visitor.problems).toEqual([])
  })

  it('an unknown project says so, and offers the others', async () => {
    await page.goto(`${service.url}/project/999`)
    await page.getByText('Not found').waitFor()
    await settled(page)
    await page.getByRole('button', { name: 'Choose a project' }).click()
    await page.getByRole('menuitem', { name: 'Two' }).click()
    await page.waitForURL('**/project/2/**')
  })
})
