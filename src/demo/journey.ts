import { DAY, MINUTE } from '../lib/durations.ts'
import type { JsonObject } from '../lib/json.ts'
import { isWeekend, type Visitor } from './people.ts'
import type { Random } from './random.ts'

/** An event of the story, as an SDK would send it. */
export interface DemoEvent {
  readonly uuid: string
  readonly event: string
  readonly distinct_id: string
  /** ms since epoch. */
  readonly at: number
  readonly properties: JsonObject
}

export const SITE = 'https://harbour.example'
/** From this day on the import of Firefox users fails most of the time: the funnel shows it. */
export const IMPORT_BREAKS_ON_DAY = 34

/**
 * The events of one visitor: looks around, perhaps signs up, sets up a board, perhaps imports tasks and invites a
 * colleague, comes back, and perhaps pays. Visitors who invite a colleague stay and pay; those whose import fails
 * mostly leave.
 */
export function journey(random: Random, visitor: Visitor, begin: number, end: number): DemoEvent[] {
  const walk = new Walk(random, visitor, begin)
  const ready = lookAround(walk)
  if (!ready) return walk.until(end)
  signUp(walk)
  const settled = setUp(walk)
  if (settled) comeBack(walk, end)
  return walk.until(end)
}

function lookAround(walk: Walk): boolean {
  const { random, visitor } = walk
  walk.visit(
    random.draw([
      ['/', 62],
      ['/blog/planning-without-meetings', 20],
      ['/features/boards', 18],
    ] as const),
  )
  if (random.chance(0.38)) return false
  if (random.chance(0.55)) walk.visit('/features/boards')
  if (random.chance(0.3)) walk.visit('/customers')
  if (random.chance(0.62)) walk.visit('/pricing')
  const mobile = visitor.device === 'Mobile' ? 0.55 : 1
  if (!random.chance(0.46 * visitor.source.warmth * mobile)) {
    // Some come back another day before they decide.
    if (!random.chance(0.25)) return false
    walk.pause(random.between(1, 6) * DAY)
    walk.visit('/pricing')
    if (!random.chance(0.4)) return false
  }
  walk.visit('/signup')
  return random.chance(0.86)
}

function signUp(walk: Walk): void {
  const { random, visitor } = walk
  const { company } = visitor
  walk.wait(1, 3)
  walk.identify()
  walk.act('signed up', {
    method: random.draw([
      ['password', 50],
      ['google', 40],
      ['sso', 10],
    ] as const),
    plan: 'free',
  })
  walk.act('$groupidentify', {
    $group_type: 'company',
    $group_key: company.key,
    $group_set: { name: company.name, industry: company.industry, employees: company.employees, plan: company.plan },
  })
  walk.visit('/app/welcome')
}

/** Whether they stay. */
function setUp(walk: Walk): boolean {
  const { random, visitor } = walk
  if (!random.chance(0.84)) return false
  walk.act('created board', {
    template: random.draw([
      ['blank', 40],
      ['kanban', 38],
      ['roadmap', 22],
    ] as const),
  })
  walk.visit('/app/board')
  let failed = false
  if (random.chance(0.58)) {
    const broken = visitor.browser === 'Firefox' && visitor.arrives >= IMPORT_BREAKS_ON_DAY
    failed = random.chance(broken ? 0.82 : 0.07)
    walk.visit('/app/import')
    if (failed) {
      walk.act('import failed', { source: 'csv', error: broken ? 'FileReader timed out' : 'unreadable file' })
      if (random.chance(0.5)) walk.act('$rageclick', { $el_text: 'Import' })
    } else walk.act('imported tasks', { source: random.pick(['csv', 'trello', 'jira']), tasks: random.whole(8, 240) })
  }
  if (failed && !random.chance(0.16)) return false
  if (random.chance(failed ? 0.08 : 0.36)) {
    walk.act('invited teammate', { role: random.pick(['member', 'admin']) })
    walk.invited = true
  }
  return random.chance(walk.invited ? 0.93 : 0.6)
}

function comeBack(walk: Walk, end: number): void {
  const { random } = walk
  const eager = walk.invited ? 0.91 : 0.7
  let paid = false
  for (let visits = 0; visits < 40 && walk.now < end && random.chance(eager); visits++) {
    walk.pause(random.between(0.7, walk.invited ? 3.2 : 6) * DAY)
    walk.visit('/app/board')
    for (let tasks = random.whole(1, 5); tasks > 0; tasks--)
      walk.act('completed task', { on_time: random.chance(0.7), minutes: random.whole(5, 180) })
    if (random.chance(0.12)) walk.act('exported report', { format: random.pick(['pdf', 'csv']) })
    if (visits === 2) survey(walk)
    if (!paid && visits >= 2 && random.chance(walk.invited ? 0.2 : 0.06)) paid = upgrade(walk)
  }
}

function upgrade(walk: Walk): boolean {
  const { random } = walk
  walk.visit('/app/billing')
  if (!random.chance(0.8)) return false
  const plan = random.draw([
    ['team', 75],
    ['scale', 25],
  ] as const)
  const seats = random.whole(2, 14)
  walk.act('upgraded plan', { plan, seats, amount: seats * (plan === 'team' ? 9 : 19), $set: { plan } })
  return true
}

const PRAISE = [
  'Boards are quick',
  'I like the keyboard shortcuts',
  'Replaced three tools for us',
  'Simple, in a good way',
]
const BLAME = ['Import did not work', 'Too slow on my phone', 'I miss a calendar view', 'Could not find the export']

function survey(walk: Walk): void {
  const { random } = walk
  if (!random.chance(0.7)) return
  const properties = { $survey_id: 'nps-autumn', $survey_name: 'How is it going?' }
  walk.act('survey shown', properties)
  if (random.chance(0.45))
    walk.act('survey sent', {
      ...properties,
      $survey_response: random.pick(walk.invited ? PRAISE : BLAME),
      score: walk.invited ? random.whole(7, 10) : random.whole(2, 8),
    })
  else walk.act('survey dismissed', properties)
}

/** The time, page and session of one visitor. */
class Walk {
  readonly random: Random
  readonly visitor: Visitor
  invited = false
  now: number
  readonly #begin: number
  readonly #events: DemoEvent[] = []
  #distinctId: string
  #session: string
  #path = '/'
  #identified = false

  constructor(random: Random, visitor: Visitor, begin: number) {
    this.#begin = begin
    this.random = random
    this.visitor = visitor
    this.now = begin + visitor.arrives * DAY
    this.#distinctId = visitor.anonymousId
    this.#session = random.uuid()
  }

  /** Future events are left out: the demo data end now. */
  until(end: number): DemoEvent[] {
    return this.#events.filter(({ at }) => at < end)
  }

  visit(path: string): void {
    this.#path = path
    this.act('$pageview', { title: path === '/' ? 'Harbour' : `Harbour ${path.split('/').pop()}` })
  }

  act(event: string, properties: JsonObject): void {
    this.#events.push({
      uuid: this.random.uuid(),
      event,
      distinct_id: this.#distinctId,
      at: Math.round(this.now),
      properties: { ...this.#context(), ...properties },
    })
    this.wait(0.2, 2.5)
  }

  /** Identifies the visitor. */
  identify(): void {
    const { anonymousId, userId, email, firstName, company, country } = this.visitor
    this.#distinctId = userId
    this.#identified = true
    this.act('$identify', {
      $anon_distinct_id: anonymousId,
      $set: { email, name: firstName, company: company.name, plan: 'free', $geoip_country_name: country },
      $set_once: { signed_up_at: new Date(this.now).toISOString() },
    })
  }

  wait(low: number, high: number): void {
    this.now += this.random.between(low, high) * MINUTE
  }

  /** Time until the next visit, which is a new session. Few visits are at weekends. */
  pause(ms: number): void {
    this.now += ms
    if (this.random.chance(0.7) && isWeekend((this.now - this.#begin) / DAY)) this.now += 2 * DAY
    this.#session = this.random.uuid()
  }

  #context(): JsonObject {
    const { browser, os, device, country, source, company } = this.visitor
    return {
      $current_url: `${SITE}${this.#path}`,
      $host: 'harbour.example',
      $pathname: this.#path,
      $browser: browser,
      $os: os,
      $device_type: device,
      $geoip_country_name: country,
      $referrer: source.referrer,
      $referring_domain: source.domain,
      $session_id: this.#session,
      $lib: 'web',
      ...source.utm,
      ...(this.#identified ? { $groups: { company: company.key } } : {}),
    }
  }
}
