import type { Json } from '../lib/json.ts'
import { type DemoEvent, SITE } from './journey.ts'
import { Random } from './random.ts'

/**
 * A recording of a visitor's screen, as rrweb would have made it: one page with a task board and an import button, with
 * mouse moves, clicks, and an import that succeeds or fails.
 */
export interface DemoRecording {
  readonly sessionId: string
  readonly distinctId: string
  readonly at: number
  readonly events: readonly Json[]
}

const META = 4
const FULL = 2
const CHANGE = 3
const PLUGIN = 6
/** After the clicks, before the page says what came of it. */
const ANSWERED = 500
const SOURCE = { mutation: 0, mouseMove: 1, mouse: 2 } as const
const CLICK = 2
const ID = { heading: 20, button: 30, message: 40, messageText: 41 } as const
/** The page that is recorded: where it is, and what people click on it. */
export const IMPORT_PAGE = {
  path: '/app/import',
  width: 1_100,
  places: {
    button: { x: 277, y: 253, within: [38, 14] },
    message: { x: 305, y: 321, within: [60, 14] },
    lists: { x: 300, y: 424, within: [68, 40] },
  },
} as const
const BUTTON = { x: IMPORT_PAGE.places.button.x, y: IMPORT_PAGE.places.button.y }
const ELSEWHERE = { x: 240, y: 420 }
const AWAY = { x: 1_060, y: 20 }
const RED = '#b83232'
const GREEN = '#14784c'
const TOLD = new Set(['import failed', 'imported tasks'])

/** One recording for every session with an import, successful or not: so the drop-off in the funnel can be watched. */
export function recordings(
  events: readonly DemoEvent[],
  { since, most }: { since: number; most: number },
): DemoRecording[] {
  const told = events.filter(({ event, at }) => TOLD.has(event) && at >= since)
  const failed = told.filter(({ event }) => event === 'import failed')
  const fine = told.filter(({ event }) => event !== 'import failed')
  const chosen = [...failed.slice(-most / 2), ...fine.slice(-(most - Math.min(failed.length, most / 2)))]
  const sessions = new Map(chosen.map(({ properties }) => [properties.$session_id, [] as DemoEvent[]]))
  for (const one of events) sessions.get(one.properties.$session_id)?.push(one)
  return chosen.map((one) => recordingOf(one, sessions.get(one.properties.$session_id) ?? [one]))
}

/** From the visit to the import page until a while after the last event. */
function recordingOf(told: DemoEvent, session: readonly DemoEvent[]): DemoRecording {
  const random = new Random(Number.parseInt(told.uuid.slice(0, 8), 16))
  const visited = session.findLast(({ at, properties }) => at < told.at && properties.$pathname === IMPORT_PAGE.path)
  const after = session.filter(({ at }) => at > told.at)
  const begin = visited?.at ?? told.at - random.whole(14, 30) * 1_000
  const failed = told.event === 'import failed'
  const last = after.at(-1)?.at ?? told.at
  return {
    sessionId: String(told.properties.$session_id),
    distinctId: told.distinct_id,
    at: begin,
    events: [
      event(META, begin, { href: `${SITE}${IMPORT_PAGE.path}`, width: IMPORT_PAGE.width, height: 640 }),
      event(FULL, begin + 5, { node: page(), initialOffset: { top: 0, left: 0 } }),
      ...walk(random, begin + 500, Math.min(begin + 6_000, told.at - 3_500), ELSEWHERE),
      ...walk(random, told.at - 3_000, told.at - 500, BUTTON),
      ...clicks(told.at - 300, failed ? random.whole(2, 3) : 1),
      ...uploads(random, told, failed),
      failed
        ? says(told.at, `Import failed: ${String(told.properties.error)}`, RED)
        : says(told.at, `${String(told.properties.tasks)} tasks imported`, GREEN),
      ...after.flatMap((one) => happens(random, one)),
      ...walk(random, last + 3_000, last + 8_000, failed ? AWAY : ELSEWHERE),
    ] as Json[],
  }
}

/** What the recorder's plugins saw of it: the request, and what the page wrote to its console when it failed. */
function uploads(random: Random, { at, properties }: DemoEvent, failed: boolean): Json[] {
  const taken = random.whole(180, 900)
  const request = {
    name: 'https://harbour.example/api/import',
    initiatorType: 'fetch',
    method: 'POST',
    responseStatus: failed ? 422 : 201,
    timestamp: Math.round(at - taken),
    duration: taken,
  }
  const error = { level: 'error', trace: ['import.js:88:14'], payload: [JSON.stringify(`Import: ${properties.error}`)] }
  return [
    event(PLUGIN, at + ANSWERED, { plugin: 'rrweb/network@1', payload: { requests: [request] } }),
    ...(failed ? [event(PLUGIN, at + ANSWERED, { plugin: 'rrweb/console@1', payload: error })] : []),
  ]
}

/** After the import: rage clicks, or the visitor continues. */
function happens(random: Random, { event: name, at }: DemoEvent): Json[] {
  if (name === '$rageclick') return [...walk(random, at - 2_500, at - 1_200, BUTTON), ...clicks(at - 1_000, 5)]
  if (name === 'invited teammate')
    return [...walk(random, at - 2_500, at - 500, ELSEWHERE), says(at, 'Invitation sent', GREEN)]
  return walk(random, at - 1_500, at, ELSEWHERE)
}

const clicks = (from: number, count: number): Json[] => Array.from({ length: count }, (_, i) => click(from + i * 350))

const event = (type: number, timestamp: number, data: Json): Json => ({ type, timestamp: Math.round(timestamp), data })

/** Mouse moves to the target, not in a straight line. */
function walk(random: Random, from: number, to: number, target: { x: number; y: number }): Json[] {
  const start = { x: random.whole(80, 1_000), y: random.whole(80, 560) }
  const steps = Math.max(6, Math.floor((to - from) / 250))
  return Array.from({ length: steps }, (_, i) => {
    const share = (i + 1) / steps
    const bend = Math.sin(share * Math.PI) * random.between(10, 60)
    const x = Math.round(start.x + (target.x - start.x) * share + bend)
    const y = Math.round(start.y + (target.y - start.y) * share - bend)
    const data = { source: SOURCE.mouseMove, positions: [{ x, y, id: ID.button, timeOffset: 0 }] }
    return event(CHANGE, from + ((to - from) * i) / steps, data)
  })
}

const click = (at: number): Json => event(CHANGE, at, { source: SOURCE.mouse, type: CLICK, id: ID.button, ...BUTTON })

const says = (at: number, text: string, colour: string): Json =>
  event(CHANGE, at + 600, {
    source: SOURCE.mutation,
    adds: [],
    removes: [],
    texts: [{ id: ID.messageText, value: text }],
    attributes: [{ id: ID.message, attributes: { style: `${MESSAGE};color:${colour};border-color:${colour}` } }],
  })

const MESSAGE = 'margin-top:24px;padding:12px 16px;border:1px solid #e3e6eb;border-radius:8px;display:inline-block'
const BODY = 'margin:0;font:15px system-ui,sans-serif;background:#f6f7f9;color:#16181d'
const CARD = 'margin:64px auto;width:640px;padding:40px;background:#fff;border:1px solid #e3e6eb;border-radius:12px'
const BAR = 'padding:16px 24px;background:#fff;border-bottom:1px solid #e3e6eb;font-weight:600'
const ACTION = 'margin-top:24px;padding:10px 22px;border:0;border-radius:8px;background:#2f6fed;color:#fff;font:inherit'

function page(): Json {
  let id = 100
  const text = (textContent: string): Json => ({ type: 3, textContent, id: ++id })
  const element = (tagName: string, style: string, childNodes: Json[], own?: number): Json => ({
    type: 2,
    tagName,
    attributes: style === '' ? {} : { style },
    childNodes,
    id: own ?? ++id,
  })
  const lists = ['To do', 'Doing', 'Done'].map((name) =>
    element('li', 'padding:6px 0;border-bottom:1px solid #e3e6eb', [text(name)]),
  )
  const hint = 'Choose a file from another tool. Harbour takes CSV, Trello and Jira exports.'
  const message: Json = { type: 3, textContent: 'No file chosen yet', id: ID.messageText }
  const card = element('main', CARD, [
    element('h1', 'margin:0 0 8px;font-size:24px', [text('Import tasks')], ID.heading),
    element('p', 'margin:0;color:#545b69', [text(hint)]),
    element('button', ACTION, [text('Import')], ID.button),
    element('div', '', [element('p', MESSAGE, [message], ID.message)]),
    element('ul', 'margin:32px 0 0;padding:0;list-style:none', lists),
  ])
  const bar = element('header', BAR, [text('Harbour')])
  const html = element('html', '', [element('head', '', []), element('body', BODY, [bar, card])])
  return { type: 0, childNodes: [{ type: 1, name: 'html', publicId: '', systemId: '', id: 2 }, html], id: 1 }
}
