/** What a scheduled change does to a flag. */
import { InvalidInput } from '../../lib/invalid-input.ts'
import { isObject, type Json, type JsonObject } from '../../lib/json.ts'
import { conditionsOf } from './rollout.ts'
import type { FlagFields, FlagState } from './state.ts'

export interface ChangePayload {
  readonly operation: 'update_status' | 'add_release_condition' | 'update_variants'
  readonly value: Json
}

/** As the fields of a change that somebody makes by hand. */
export function fieldsOfScheduled({ operation, value }: ChangePayload, flag: FlagState): FlagFields {
  switch (operation) {
    case 'update_status':
      if (typeof value !== 'boolean') throw wrong('true to enable the flag, or false to disable it')
      return { active: value }
    case 'add_release_condition': {
      const { groups, ...others } = isObject(value) ? value : {}
      if (!Array.isArray(groups) || groups.length === 0)
        throw wrong('{"groups": [...]} with the conditions to be added')
      return {
        filters: { ...pick(others, ['multivariate', 'payloads']), groups: [...conditionsOf(flag.filters), ...groups] },
      }
    }
    case 'update_variants': {
      const { variants, payloads } = isObject(value) ? value : {}
      if (!Array.isArray(variants)) throw wrong('{"variants": [...], "payloads": {...}}')
      return { filters: { multivariate: { variants }, ...(payloads === undefined ? {} : { payloads }) } }
    }
  }
}

const wrong = (what: string) => new InvalidInput(`Send ${what}.`, ['payload', 'value'])

const pick = (from: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])))

/** When a recurring change is due again: the same time of the day in the given time zone is not kept, in UTC it is. */
export function nextOccurrence(last: Date, every: 'daily' | 'weekly' | 'monthly' | 'yearly', after: Date): Date {
  const at = (count: number): Date => {
    const next = new Date(last)
    if (every === 'daily') next.setUTCDate(last.getUTCDate() + count)
    else if (every === 'weekly') next.setUTCDate(last.getUTCDate() + 7 * count)
    else {
      const months = every === 'monthly' ? count : 12 * count
      const month = last.getUTCMonth() + months
      const days = new Date(Date.UTC(last.getUTCFullYear(), month + 1, 0)).getUTCDate()
      next.setUTCFullYear(last.getUTCFullYear(), month, Math.min(last.getUTCDate(), days))
    }
    return next
  }
  let count = 1
  // Times that passed while no job ran are passed over: a state is set once, not as often as it was missed.
  while (at(count).getTime() <= after.getTime()) count++
  return at(count)
}
