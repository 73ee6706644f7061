/** What a user agent says of its device, and whether it is a bot. Cached: few agents send most of the events. */
import Bowser from 'bowser'
import { isbot } from 'isbot'
import type { JsonObject } from '../../lib/json.ts'
import { knownBot } from '../../lib/known-bots.ts'

export interface Device {
  /** In the names that posthog-js uses. */
  readonly properties: JsonObject
  readonly bot: 'ua' | 'headless' | null
}

const CACHED = 5_000
const LONGEST = 1_000
const known = new Map<string, Device>()

export function deviceOf(userAgent: string): Device {
  const agent = userAgent.slice(0, LONGEST)
  const found = known.get(agent)
  if (found !== undefined) return found
  const device = read(agent)
  if (known.size >= CACHED) known.delete(known.keys().next().value as string)
  known.set(agent, device)
  return device
}

const TYPES: Readonly<Record<string, string>> = { desktop: 'Desktop', mobile: 'Mobile', tablet: 'Tablet', tv: 'TV' }

function read(agent: string): Device {
  const bot = botIn(agent)
  const { browser, os, platform } = parsed(agent)
  const type = TYPES[platform?.type ?? '']
  const name = browser?.name === 'Safari' && type !== 'Desktop' ? 'Mobile Safari' : browser?.name
  const version = Number.parseFloat(browser?.version ?? '')
  const properties: JsonObject = {
    ...(name ? { $browser: name } : {}),
    ...(Number.isFinite(version) ? { $browser_version: version } : {}),
    ...(os?.name ? { $os: os.name === 'macOS' ? 'Mac OS X' : os.name } : {}),
    ...(os?.version ? { $os_version: os.version } : {}),
    ...(type === undefined ? {} : { $device_type: type }),
  }
  // A browser is recognised by both; the name of a program that sends requests is no device.
  return { properties: name && os?.name ? properties : {}, bot }
}

/** Bots that have a name, and those that `isbot` knows besides. */
function botIn(agent: string): Device['bot'] {
  if (agent === '') return null
  const known = knownBot(agent)
  if (known) return known.category === 'headless_browser' ? 'headless' : 'ua'
  return isbot(agent) ? 'ua' : null
}

function parsed(agent: string): Partial<Bowser.Parser.ParsedResult> {
  try {
    return agent === '' ? {} : Bowser.parse(agent)
  } catch {
    return {}
  }
}
