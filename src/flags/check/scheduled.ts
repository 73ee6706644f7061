/** What a scheduled change does to a flag. */
import type { Recurrence } from '../../contract/resources/flag-management.ts'
import { DAY } from '../../lib/durations.ts'
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

/**
 * When a recurring change is due again: the same time of the day in the given time zone is not kept, in UTC it is. It is
 * counted from its first time, so that one of the 31st is on the 31st again after a shorter month.
 */
export function nextOccurrence(first: Date, every: Recurrence, after: Date): Date {
  const at = (count: number): Date => {
    const next = new Date(first)
    if (every === 'daily') next.setUTCDate(first.getUTCDate() + count)
    else if (every === 'weekly') next.setUTCDate(first.getUTCDate() + 7 * count)
    else {
      const months = every === 'monthly' ? count : 12 * count
      const month = first.getUTCMonth() + months
      const days = new Date(Date.UTC(first.getUTCFullYear(), month + 1, 0)).getUTCDate()
      next.setUTCFullYear(first.getUTCFullYear(), month, Math.min(first.getUTCDate(), days))
    }
    return next
  }
  // Not one by one from a first time that may be centuries ago.
  let count = Math.max(1, Math.floor((after.getTime() - first.getTime()) / (LONGEST_DAYS[every] * DAY)))
  // Times that passed while no job ran are passed over: a state is set once, not as often as it was missed.
  while (at(count).getTime() <= after.getTime()) count++
  return at(count)
}

const LONGEST_DAYS: Readonly<Record<Recurrence, number>> = { daily: 1, weekly: 7, monthly: 31, yearly: 366 }
