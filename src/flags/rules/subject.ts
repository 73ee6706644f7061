/** What is known of somebody while flags are decided. */
import type { Json } from '../../lib/json.ts'
import type { FlagDecision } from './decision.ts'
import type { CompiledCondition, CompiledFlag, ProjectFlags, Subject } from './definition.ts'
import { propertyOf } from './initial-properties.ts'
import type { SearchBudget } from './search-budget.ts'
import { Undecided } from './undecided.ts'

export interface Asking {
  readonly project: ProjectFlags
  readonly subject: Subject
  /** Null when no flag needs another one: then nobody asks twice. */
  readonly decided: Map<CompiledFlag, FlagDecision> | null
  readonly explain: boolean
  readonly budget: SearchBudget
  /** Whether the flag being decided asked for a cohort by behaviour. */
  usedBehaviour: boolean
}

export function personProperty(key: string, { subject }: Asking): Json | undefined {
  const { personProperties, stored } = subject
  const value = propertyOf(key, personProperties, stored?.person?.properties)
  if (value !== undefined) return value
  if (key === 'distinct_id') return subject.distinctId
  if (stored === null) throw new Undecided('person_unavailable')
  return undefined
}

export function personMetadata(key: string, { subject: { stored } }: Asking): Json | undefined {
  if (stored === null) throw new Undecided('person_unavailable')
  if (stored.person === null) return undefined
  if (key === 'created_at') return new Date(stored.person.createdAt).toISOString()
  return key === 'id' || key === 'uuid' ? stored.person.uuid : undefined
}

/** The key of the group that somebody asks for, if it is one. */
export function groupKey(index: number, { project, subject }: Asking): string | undefined {
  const type = project.groupTypes.get(index)
  if (type === undefined || !Object.hasOwn(subject.groups, type)) return undefined
  const key = subject.groups[type]
  if (typeof key === 'number') return String(key)
  return typeof key === 'string' && key !== '' ? key : undefined
}

export function groupProperty(key: string, index: number | null, asking: Asking): Json | undefined {
  if (index === null) return undefined
  const { project, subject } = asking
  const group = groupKey(index, asking)
  if (group === undefined) return undefined
  const sent = subject.groupProperties[project.groupTypes.get(index) ?? '']
  if (sent !== undefined && Object.hasOwn(sent, key)) return sent[key]
  if (key === '$group_key') return group
  if (subject.stored === null) throw new Undecided('group_unavailable')
  const stored = subject.stored.groups.get(index)
  return stored !== undefined && Object.hasOwn(stored, key) ? stored[key] : undefined
}

/** What decides about rollout and variant. */
export function bucketOf({ groupTypeIndex }: CompiledCondition, flag: CompiledFlag, asking: Asking): string {
  const { subject } = asking
  if (groupTypeIndex !== null) return groupKey(groupTypeIndex, asking) ?? ''
  if (flag.byDevice) return subject.deviceId ?? ''
  if (!flag.stored.ensure_experience_continuity) return subject.distinctId
  if (subject.stored === null) throw new Undecided('person_unavailable')
  return subject.stored.hashKeys.get(flag.stored.key) ?? subject.anonDistinctId ?? subject.distinctId
}
