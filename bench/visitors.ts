/**
 * What it costs an event to find out where its visitor is, with which device, and whether it is a bot: CPU time of capture and of
 * the steps of the pipeline with it and without, in turns. No engines: `npm run bench visitors`.
 */
import { openCapture, parseCapture, type RequestMeta } from '../src/capture/parse-capture.ts'
import { deviceOf, GeoFile, type GeoLookup, geoText, NO_GEO } from '../src/events/index.ts'
import { decodeRange, openBatch } from '../src/pipeline/events/batch.ts'
import { ageLimitStep } from '../src/pipeline/steps/age-limit.ts'
import { heatmapStep } from '../src/pipeline/steps/heatmap.ts'
import { eventSteps } from '../src/pipeline/steps/index.ts'
import { propertiesStep } from '../src/pipeline/steps/properties.ts'
import { spikeStep } from '../src/pipeline/steps/spike.ts'
import type { Step } from '../src/pipeline/steps/step.ts'
import { surveyStep } from '../src/pipeline/steps/survey.ts'
import { PROJECT } from '../src/pipeline/steps/testing/events.ts'
import { timestampStep } from '../src/pipeline/steps/timestamp.ts'
import { sampleEvent } from './support/sample-events.ts'

const ROUNDS = Number(process.argv[2] ?? 15)
const WARM_UP = 3
/** Each is a request of its own, as browsers send them. */
const EVENTS = 8_000
const AGENTS = 300
const ADDRESSES = 4_000

const projects = new Map([[PROJECT.id, PROJECT]])
const agentOf = (turn: number): string =>
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${100 + (turn % 40)}.0.${turn % AGENTS}.0 Safari/537.36`
const addressOf = (turn: number): string =>
  `${20 + (turn % 180)}.${(turn * 7) % 256}.${(turn * 13) % 256}.${turn % 256}`
const bodies = Array.from({ length: EVENTS }, (_, turn) => bodyOf(turn))

const geo = await GeoFile.open(undefined)
if (geo === null) throw new Error('There is no file of countries')
const without: readonly Step[] = [timestampStep, propertiesStep, ageLimitStep, heatmapStep, surveyStep, spikeStep()]
const ways = { with: eventSteps(geo), without }
const spent = new Map<string, number[]>()

for (let round = 0; round < WARM_UP + ROUNDS; round++)
  for (const way of round % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const)) {
    const isWith = way === 'with'
    const entries = measured(`capture, ${way}`, round, () =>
      bodies.flatMap((body, turn) => captured(body, turn, isWith ? geo : NO_GEO, isWith)),
    )
    const range = {
      partition: 'live-0',
      from: 0,
      next: 1,
      records: entries.map((payload) => ({ position: 0, payload })),
    }
    measured(`pipeline: decode and steps, ${way}`, round, () => openBatch(decodeRange(range), projects, ways[way]))
  }

for (const stage of ['capture', 'pipeline: decode and steps']) {
  const [has, hasNot] = [median(spent.get(`${stage}, with`)), median(spent.get(`${stage}, without`))]
  console.log(`${us(has)} us with, ${us(hasNot)} us without, ${us(has - hasNot)} us more  ${stage}`)
}
first('an address that was not seen before', (turn) =>
  geo.find(`${1 + (turn % 220)}.${turn % 256}.${(turn >> 8) % 256}.9`),
)
first('a user agent that was not seen before', (turn) => deviceOf(agentOf(turn).replace('Win64', `Win64-${turn}`)))
geo.close()

/** As capture does it: the address and the agent are those of the request. */
function captured(body: Buffer, turn: number, places: GeoLookup, withAgent: boolean): Buffer[] {
  const ip = addressOf(turn % ADDRESSES)
  const meta: RequestMeta = {
    query: '',
    contentEncoding: undefined,
    userAgent: withAgent ? agentOf(turn) : undefined,
    ip,
    geo: geoText(places.find(ip)),
    receivedAt: Date.now(),
    livePartitions: 1,
    engage: false,
  }
  const { entries } = parseCapture(meta, openCapture(body, meta, body.length), PROJECT)
  return entries.map(({ payload }) => Buffer.from(payload))
}

function measured<T>(name: string, round: number, work: () => T): T {
  const before = process.cpuUsage()
  const result = work()
  const { user, system } = process.cpuUsage(before)
  if (round >= WARM_UP) spent.set(name, [...(spent.get(name) ?? []), (user + system) / EVENTS])
  return result
}

function first(what: string, look: (turn: number) => unknown): void {
  const before = process.cpuUsage()
  for (let turn = 0; turn < EVENTS; turn++) look(turn)
  const { user, system } = process.cpuUsage(before)
  console.log(`${us((user + system) / EVENTS)} us  ${what}`)
}

function bodyOf(turn: number): Buffer {
  const { properties, ...event } = sampleEvent(turn)
  const own = { ...(properties as Record<string, unknown>), $lib: 'web', $raw_user_agent: agentOf(turn) }
  return Buffer.from(JSON.stringify({ api_key: 'phc_bench', ...event, properties: own }))
}

function median(values: readonly number[] = []): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function us(value: number): string {
  return value.toFixed(1).padStart(6)
}
