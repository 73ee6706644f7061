import type { Warning, WarningType } from '../events/index.ts'
import type { JsonObject } from '../lib/json.ts'
import { LIMITS } from './limits.ts'

export interface Blamed {
  readonly event?: string | null
  readonly distinctId?: string | null
  readonly uuid?: string | null
}

/** The warnings of one request. Keeps so many samples of a reason and counts the rest on the last one kept. */
export class WarningList {
  readonly #kept: Warning[] = []
  readonly #seen = new Map<WarningType, number>()
  readonly #last = new Map<WarningType, number>()

  add(type: WarningType, blamed: Blamed, details: JsonObject = {}): void {
    const seen = (this.#seen.get(type) ?? 0) + 1
    this.#seen.set(type, seen)
    if (seen > LIMITS.warningSamples) return
    this.#last.set(type, this.#kept.length)
    const { event = null, distinctId = null, uuid = null } = blamed
    this.#kept.push({ type, event, distinctId, uuid, details })
  }

  list(): readonly Warning[] {
    for (const [type, seen] of this.#seen) {
      const unkept = seen - LIMITS.warningSamples
      if (unkept <= 0) continue
      const at = this.#last.get(type) as number
      this.#kept[at] = { ...(this.#kept[at] as Warning), count: unkept + 1 }
    }
    return this.#kept
  }
}
