import type { Browser, Page } from 'playwright-core'
import { recordings, sendRecordings, sendStory, story } from '../../src/demo/index.ts'
import { openBrowser, settled, signIn, type Visit, visit } from './browser.ts'
import { startTestService, type TestService, TOKENS } from './service.ts'

/** A service with the demo's story in it, and the owner signed in to look at it. Open it in `beforeAll`, close it in `afterAll`. */
export interface Demo {
  readonly service: TestService
  readonly browser: Browser
  readonly visitor: Visit
  readonly page: Page
  /** Goes to a page of project 1 and waits until it stands still. */
  open(path: string): Promise<void>
  /** The same for a question, as the address carries it. */
  openInsight(draft: object): Promise<void>
  close(): Promise<void>
}

export interface DemoOptions {
  readonly visitors: number
  /** Of the last days, at most so many. */
  readonly recordings?: number
}

const DAY = 86_400_000
const RECORDED_DAYS = 6
const STORY_DAYS = 61

export async function openDemo(options: DemoOptions): Promise<Demo> {
  const service = await startTestService()
  let browser: Browser | undefined
  const close = async () => {
    await browser?.close()
    await service.stop()
  }
  try {
    browser = await openBrowser()
    await fill(service, options)
    const visitor = await visit(browser)
    await signIn(visitor, service.url)
    const { page } = visitor
    const open = async (path: string) => {
      await page.goto(`${service.url}/project/1/${path}`)
      await settled(page)
    }
    return {
      service,
      browser,
      visitor,
      page,
      open,
      openInsight: (draft) => open(`insights/new?q=${encodeURIComponent(JSON.stringify(draft))}`),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Everything that was sent is there when it returns: each event counted, each recording listed. */
async function fill(service: TestService, { visitors, recordings: most = 0 }: DemoOptions): Promise<void> {
  const end = Date.now()
  // The story has weekends: from a fixed distance on, they lie alike whatever the day of the test.
  const events = story({ end, begin: Math.floor(end / DAY) * DAY - STORY_DAYS * DAY, visitors })
  const to = { url: service.url, token: TOKENS.one }
  await sendStory(events, { ...to, onProgress: () => {} })
  const recorded = most === 0 ? [] : recordings(events, { since: end - RECORDED_DAYS * DAY, most })
  if (recorded.length > 0) await sendRecordings(recorded, to)
  await service.waitFor(
    async () => (await service.api('session_recordings/?date_from=-7d')).body?.results?.length === recorded.length,
    'the recordings',
  )
  await service.waitFor(async () => {
    const { body } = await service.api('query/', {
      body: { query: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode' }], dateRange: { date_from: 'all' } } },
    })
    return body?.results?.[0]?.count === events.length
  }, 'the events')
}
