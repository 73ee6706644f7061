import type { Warning, WarningType } from '../../events/index.ts'
import type { JsonObject } from '../../lib/json.ts'
import { LIMITS } from '../limits.ts'

export interface WarningSubject {
  readonly event?: string | null
  readonly distinctId?: string | null
  readonly uuid?: string | null
}

/** The warnings of one request. Keeps a limited number of samples of each type; the last one counts the rest. */
export class WarningList {
  readonly #kept: Warning[] = []
  /** Of each type: how often it occurred, and the index of its last sample. Most requests never need the map. */
  #seen: Map<WarningType, { times: number; last: number }> | null = null

  add(type: WarningType, subject: WarningSubject, details: JsonObject = {}): void {
    this.#seen ??= new Map()
    const seen = this.#seen.get(type) ?? { times: 0, last: 0 }
    this.#seen.set(type, seen)
    seen.times++
    if (seen.times > LIMITS.warningSamples) return
    seen.last = this.#kept.length
    const { event = null, distinctId = null, uuid = null } = subject
    this.#kept.push({ type, event, distinctId, uuid, details })
  }

  get any(): boolean {
    return this.#kept.length > 0
  }

  list(): readonly Warning[] {
    for (const { times, last } of this.#seen?.values() ?? []) {
      const unkept = times - LIMITS.warningSamples
      if (unkept > 0) this.#kept[last] = { ...(this.#kept[last] as Warning), count: unkept + 1 }
    }
    return this.#kept
  }
}
