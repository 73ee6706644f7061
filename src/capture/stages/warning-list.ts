import type { Warning, WarningType } from '../../events/index.ts'
import type { JsonObject } from '../../lib/json.ts'
import { LIMITS } from '../limits.ts'

export interface Blamed {
  readonly event?: string | null
  readonly distinctId?: string | null
  readonly uuid?: string | null
}

/** The warnings of one request. Keeps so many samples of a reason and counts the rest on the last one kept. */
export class WarningList {
  readonly #kept: Warning[] = []
  /** Of each reason: how often, and where the last sample kept of it stands. Most requests never need one. */
  #seen: Map<WarningType, { times: number; last: number }> | null = null

  add(type: WarningType, blamed: Blamed, details: JsonObject = {}): void {
    this.#seen ??= new Map()
    const seen = this.#seen.get(type) ?? { times: 0, last: 0 }
    this.#seen.set(type, seen)
    seen.times++
    if (seen.times > LIMITS.warningSamples) return
    seen.last = this.#kept.length
    const { event = null, distinctId = null, uuid = null } = blamed
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
