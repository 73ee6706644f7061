/** What is added to the story without drawing random numbers, so that the rest of it stays as it is. */
import { createHash } from 'node:crypto'
import { SECOND } from '../lib/durations.ts'
import type { JsonObject } from '../lib/json.ts'
import type { DemoEvent } from './journey.ts'

/** Another event on the same page, some seconds later. */
export function beside(event: DemoEvent, name: string, more: JsonObject, seconds: number): DemoEvent {
  const { title: _, $set: __, ...context } = event.properties
  return {
    uuid: uuidOf(`${event.uuid} ${name}`),
    event: name,
    distinct_id: event.distinct_id,
    at: event.at + seconds * SECOND,
    properties: { ...context, ...more },
  }
}

const digest = (text: string) => createHash('sha1').update(text).digest()
/** From 0 to 1, always the same for the same text. */
export const shareOf = (text: string): number => digest(text).readUInt32BE(0) / 2 ** 32

export function uuidOf(text: string): string {
  const hex = digest(text).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
