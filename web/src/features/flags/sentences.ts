/** Rules of flags in words. */
import type { FeatureFlag } from '../../api/contract.ts'
import { number, valueText } from '../../lib/format.ts'
import { propertyName } from '../../lib/names.ts'
import type { Filter } from '../insights/index.ts'
import { OPERATORS } from '../insights/index.ts'
import { type Condition, type Dependency, type Rules, rulesOf } from './document.ts'

const percent = (share: number): string => `${number(share)}%`

/** The state of a flag, first of all: on, off, 20%. */
export function stateOf({ active, archived, deleted, filters }: FeatureFlag): {
  text: string
  tone: 'good' | 'neutral' | 'accent' | 'warn'
} {
  if (deleted) return { text: 'deleted', tone: 'warn' }
  if (archived) return { text: 'archived', tone: 'neutral' }
  if (!active) return { text: 'off', tone: 'neutral' }
  const { conditions } = rulesOf(filters)
  const most = (some: readonly Condition[]) => Math.max(0, ...some.map(({ rollout }) => rollout))
  if (most(conditions) === 0) return { text: 'on for nobody', tone: 'warn' }
  const ofAll = most(conditions.filter(({ filters: own, flags }) => own.length + flags.length === 0))
  if (ofAll === 0) return { text: 'targeted', tone: 'accent' }
  return ofAll === 100 ? { text: 'on', tone: 'good' } : { text: percent(ofAll), tone: 'accent' }
}

/** How far it is rolled out, in a line. */
export function rolloutText(filters: FeatureFlag['filters']): string {
  const rules = rulesOf(filters)
  const [first] = rules.conditions
  if (!first) return 'nobody'
  if (rules.conditions.length > 1) return `${rules.conditions.length} conditions`
  const who = first.filters.length + first.flags.length === 0 ? everybody(rules) : 'who matches'
  return `${percent(first.rollout)} of ${who}`
}

const everybody = ({ groupType }: Rules): string => (groupType === null ? 'everybody' : 'all groups')

/** "people whose plan is pro" */
export function whoText({ filters, flags }: Condition, rules: Rules, names: Names): string {
  if (filters.length + flags.length === 0) return everybody(rules)
  const parts = [...filters.map((filter) => filterText(filter, names)), ...flags.map((flag) => flagText(flag, names))]
  return `${rules.groupType === null ? 'people' : 'groups'} ${parts.join(' and ')}`
}

/** "50% get blue" */
export function whatText({ rollout, variant }: Condition, { variants }: Rules): string {
  if (variant !== null) return `${percent(rollout)} get ${variant}`
  if (variants.length === 0) return rollout === 100 ? 'all get it' : `${percent(rollout)} get it`
  const shares = variants.map(({ key, share }) => `${key} ${percent(share)}`).join(', ')
  return `${rollout === 100 ? 'all' : percent(rollout)} get a variant: ${shares}`
}

/** Of cohorts and flags, by id. */
export interface Names {
  cohort: (id: string) => string
  flag: (id: string) => string
}

function filterText({ key, type, operator, value }: Filter, names: Names): string {
  if (type === 'cohort') return `${operator === 'not_in' ? 'not in' : 'in'} ${names.cohort(String(value))}`
  const verb = OPERATORS.find((each) => each.value === operator)?.label ?? operator.replaceAll('_', ' ')
  const shown = Array.isArray(value) ? value.map(valueText).join(' or ') : valueText(value ?? undefined)
  return `whose ${propertyName(key)} ${verb}${shown === '' ? '' : ` ${shown}`}`
}

function flagText({ id, value }: Dependency, names: Names): string {
  if (typeof value === 'string') return `who get ${value} of ${names.flag(id)}`
  return value ? `who have ${names.flag(id)}` : `who do not have ${names.flag(id)}`
}

const REASONS: Record<string, string> = {
  condition_match: 'A condition matched',
  no_condition_match: 'No condition matched',
  out_of_rollout_bound: 'Matched, but not in the share that gets it',
  no_group_type: 'The flag is about groups, and no such group was named',
  super_condition_value: 'Chosen by early access enrolment',
  holdout_condition_value: 'Held out of experiments',
  flag_disabled: 'The flag is off',
  missing_dependency: 'A flag that it depends on is missing',
}

/** Why somebody got a value. */
export const reasonText = ({ reason, condition_index }: { reason: string; condition_index: number | null }): string =>
  reason === 'condition_match' && condition_index !== null
    ? `Condition ${condition_index + 1} matched`
    : (REASONS[reason] ?? reason.replaceAll('_', ' '))
