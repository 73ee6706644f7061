import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { anyJson, anyWord } from '../../../test/support/any-json.ts'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { applyProvisioning } from '../../accounts/index.ts'
import { openCapture, parseCapture, type RequestMeta } from '../../capture/parse-capture.ts'
import { DefinitionRecorder } from '../../identity/index.ts'
import type { Json } from '../../lib/json.ts'
import type { LogRange } from '../../log/index.ts'
import { liveBatches } from '../live-samples.ts'
import { unpacked } from '../shared/deliver.ts'
import { projectSettings } from '../shared/project-settings.ts'
import { eventSteps } from '../steps/index.ts'
import { applyBatch } from './apply.ts'
import { decodeRange, openBatch } from './batch.ts'

/** What some step, rule or column reads. */
const EVENTS =
  '$pageview $screen $autocapture $identify $create_alias $merge_dangerously $groupidentify $set $exception $rageclick $web_vitals $$heatmap'
const PROPERTIES = `$set $set_once $unset $groups $group_type $group_key $group_set $group_0 $elements $elements_chain
  $heatmap_data $viewport_width $viewport_height $prev_pageview_max_scroll $survey_id $survey_response $session_id $window_id $ip
  $geoip_disable $geoip_country_code $timezone $current_url $pathname $host $screen_name $referrer $referring_domain $browser $os
  $device_type $browser_language $raw_user_agent $webdriver $is_bot $bot_reason $external_click_url $web_vitals_LCP_value
  $process_person_profile $update_person_last_seen_at $anon_distinct_id $device_id alias distinct_id $cookieless_mode $lib
  $ignore_sent_at $sent_at token utm_source gclid email name tag_name attr__class text nth_child $el_text`.split(/\s+/)

const word = anyWord(...PROPERTIES, 'ada', 'bob', 'true', '2026-01-01T00:00:00Z')
const anything = anyJson(word)
const properties = fc.dictionary(fc.oneof(fc.constantFrom(...PROPERTIES), word), anything, { maxKeys: 8 })
const event = fc.record(
  {
    event: fc.oneof({ arbitrary: fc.constantFrom(...EVENTS.split(' ')), weight: 4 }, word),
    distinct_id: fc.oneof({ arbitrary: fc.constantFrom('ada', 'bob', 'constructor'), weight: 4 }, anything),
    properties: fc.oneof({ arbitrary: properties, weight: 6 }, anything),
    timestamp: anything,
    offset: anything,
    uuid: anything,
    $set: anything,
    $set_once: anything,
  },
  { requiredKeys: ['event', 'distinct_id'] },
)

const META: RequestMeta = {
  query: '',
  contentEncoding: undefined,
  userAgent: 'Mozilla/5.0',
  ip: '127.0.0.1',
  receivedAt: Date.UTC(2026, 0, 1),
  livePartitions: 1,
  engage: false,
  batch: true,
}

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startTestPostgres()
  const projects = [{ id: 1, name: 'One', api_token: 'phc_one', timezone: 'UTC' }]
  await applyProvisioning(postgres.sql, { organization: { name: 'Test' }, projects, users: [] })
})
afterAll(() => postgres?.stop())

const BATCHES = Number(process.env.ANY_EVENT_BATCHES ?? 60)

/** One bad event would otherwise stop all that come after it: they are stored in order. `ANY_EVENT_BATCHES` for more. */
it(
  'whatever an event holds, it is decided and becomes rows that can be written',
  async () => {
    const settings = projectSettings(postgres.sql)
    const definitions = new DefinitionRecorder()
    const steps = eventSteps()
    let from = 0
    let stored = 0
    const run = async (events: readonly unknown[]) => {
      const range = captured(events as Json[], from++)
      const batch = openBatch(decodeRange(range), await settings([1]), steps)
      expect(batch.deadLetters.map(({ error }) => error)).toEqual([])
      const applied = await applyBatch(postgres.sql, batch, { definitions })
      for (const queued of applied.inserts) for (const insert of unpacked(queued)) insert.encode()
      for (const queued of applied.inserts) for (const insert of unpacked(queued, applied.rows)) insert.encode()
      structuredClone(liveBatches(applied.rows, [...batch.warnings, ...applied.warnings], new Set([1])))
      stored += applied.rows.length
    }
    await fc.assert(fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 40 }), run), { numRuns: BATCHES })
    expect(stored).toBeGreaterThan(BATCHES)
  },
  24 * 3_600_000,
)

/** The range of the log that capture would have written. */
function captured(events: readonly Json[], from: number): LogRange {
  const body = Buffer.from(JSON.stringify({ api_key: 'phc_one', batch: events }))
  const { entries } = parseCapture(META, openCapture(body, META, body.length), { id: 1, anonymizeIps: false })
  const records = entries.map(({ payload }) => ({ position: from, payload: Buffer.from(payload) }))
  return { partition: 'live-0', from, next: from + 1, records }
}
