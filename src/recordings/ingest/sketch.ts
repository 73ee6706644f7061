import type { JsonObject } from '../../lib/json.ts'
import { CONSOLE_PLUGIN, TYPE } from './rrweb.ts'
import { type Member, numberOf, type SentEvent } from './sent-event.ts'

/** The part of an event that a summary needs: not the page, not its changes. */
export function sketchOf(bytes: Buffer, { type, data, dataMembers }: SentEvent): JsonObject {
  if (!data || !dataMembers || type === TYPE.full) return { type }
  if (type === TYPE.incremental) return { type, data: kindOf(bytes, dataMembers) }
  if (type === TYPE.plugin && !bytes.subarray(data.at, data.end).includes(CONSOLE_PLUGIN)) return { type }
  return { type, data: JSON.parse(bytes.toString('utf8', data.at, data.end)) }
}

/** What kind of change it is. */
function kindOf(bytes: Buffer, members: readonly Member[]): JsonObject {
  const kind: JsonObject = {}
  for (const name of ['source', 'type'] as const) {
    const number = numberOf(bytes, members, name)
    if (number !== undefined) kind[name] = number
  }
  return kind
}
