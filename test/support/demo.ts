import { recordings, sendRecordings, sendStory, story } from '../../src/demo/index.ts'
import { DAY } from '../../src/lib/durations.ts'
import { type App, openApp } from './app.ts'
import { prepareService, type TestService, TOKENS } from './service.ts'

interface DemoOptions {
  readonly visitors: number
  /** Of the last days, at most so many. */
  readonly recordings?: number
}

const RECORDED_DAYS = 6
const STORY_DAYS = 61

/** The app with the demo's story in it, which is sent once in a run of the tests for all that want the same. */
export async function openDemo(options: DemoOptions): Promise<App> {
  const name = `demo-${options.visitors}-${options.recordings ?? 0}`
  const data = await prepareService(name, (service) => fill(service, options))
  return openApp(async () => {}, { data })
}

/** Everything that was sent is stored when it returns. */
async function fill(service: TestService, { visitors, recordings: most = 0 }: DemoOptions): Promise<void> {
  const end = Date.now()
  // The story has weekends: from a fixed distance on, they lie alike whatever the day of the test.
  const events = story({ end, begin: Math.floor(end / DAY) * DAY - STORY_DAYS * DAY, visitors })
  const to = { url: service.url, token: TOKENS.one }
  await sendStory(events, { ...to, onProgress: () => {} })
  const recorded = most === 0 ? [] : recordings(events, { since: end - RECORDED_DAYS * DAY, most })
  if (recorded.length > 0) await sendRecordings(recorded, to)
  await service.stored()
}
