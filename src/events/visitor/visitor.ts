/** What capture learns of a visitor from the request and passes on, because neither address nor agent may be kept. */
import { type JsonObject, stringifyJson } from '../../lib/json.ts'
import { type Device, deviceOf } from './device.ts'

export interface Visitor {
  readonly geo?: JsonObject
  readonly device?: Device
}

const CACHED = 5_000
const texts = new Map<string, string>()

/** The text of a device, for the records of the log. */
export function deviceText(userAgent: string | undefined): string {
  if (userAgent === undefined || userAgent === '') return ''
  const known = texts.get(userAgent)
  if (known !== undefined) return known
  const { properties, bot } = deviceOf(userAgent)
  const isKnown = bot !== null || Object.keys(properties).length > 0
  const text = isKnown ? `,"device":${stringifyJson({ properties, bot })}` : ''
  if (texts.size >= CACHED) texts.delete(texts.keys().next().value as string)
  texts.set(userAgent, text)
  return text
}

const geoTexts = new WeakMap<JsonObject, string>()

export function geoText(geo: JsonObject | null): string {
  if (geo === null) return ''
  let text = geoTexts.get(geo)
  if (text === undefined) {
    text = `,"geo":${stringifyJson(geo)}`
    geoTexts.set(geo, text)
  }
  return text
}
