import type { Warning } from '../../events/index.ts'
import { copyOf, isObject, type Json, type JsonObject } from '../../lib/json.ts'
import { groupOf, keyText, MAX_GROUP_KEY_CHARACTERS } from './group-of.ts'
import type { NormalisedEvent } from './normalise.ts'
import { birthday } from './person-rules.ts'
import { overlaid } from './property-changes.ts'
import { jsonText, storableText } from './storable.ts'
import type { GroupKeys } from './types.ts'
import { storableOf, warning } from './warn.ts'

const MAX_GROUP_TYPES = 5
const MAX_GROUP_BYTES = 640 * 1024
const NAMES = ['$group_0', '$group_1', '$group_2', '$group_3', '$group_4'] as const

export interface GroupState {
  readonly project: number
  readonly typeIndex: number
  readonly key: string
  properties: JsonObject
  readonly createdAt: number
  version: number
  /** Null for a group that this batch created. */
  readonly storedVersion: number | null
}

/** The group types of a batch's projects and the groups of its `$groupidentify` events. */
export class GroupSet {
  readonly groups = new Map<string, GroupState>()
  readonly newTypes: { project: number; type: string; index: number }[] = []
  readonly #types: Map<string, number>
  readonly #used = new Map<number, Set<number>>()

  constructor(types: readonly { project: number; type: string; index: number }[], groups: readonly GroupState[]) {
    this.#types = new Map(types.map(({ project, type, index }) => [`${project}:${type}`, index]))
    for (const { project, index } of types) this.#usedBy(project).add(index)
    for (const group of groups) this.groups.set(groupKeyOf(group.project, group.typeIndex, group.key), group)
  }

  /**
   * The index of a group type; a new type takes the lowest free one. Null when all five are taken, or when the name is
   * too long.
   */
  typeIndex(project: number, type: string): number | null {
    const known = this.#types.get(`${project}:${type}`)
    if (known !== undefined) return known
    if (type.length > MAX_GROUP_KEY_CHARACTERS) return null
    const used = this.#usedBy(project)
    for (let index = 0; index < MAX_GROUP_TYPES; index++) {
      if (used.has(index)) continue
      used.add(index)
      this.#types.set(`${project}:${type}`, index)
      this.newTypes.push({ project, type, index })
      return index
    }
    return null
  }

  #usedBy(project: number): Set<number> {
    const used = this.#used.get(project) ?? new Set()
    this.#used.set(project, used)
    return used
  }
}

const groupKeyOf = (project: number, typeIndex: number, key: string): string => `${project}:${typeIndex}:${key}`

export const hasGroups = (event: NormalisedEvent): boolean =>
  event.personProcessing !== 'off' && (isObject(event.properties.$groups) || groupOf(event) !== null)

/**
 * Adds `$group_0` to `$group_4` to an event that has `$groups`. The groups themselves are created only by
 * `$groupidentify`.
 */
export function withGroups(
  set: GroupSet,
  event: NormalisedEvent,
  warnings: Warning[],
): { properties: JsonObject; groups: GroupKeys } {
  let properties = event.properties
  const { $groups } = properties
  if (isObject($groups)) {
    for (const name of Object.keys($groups)) {
      const key = $groups[name] as Json
      if (key === null || key === '') continue
      const index = set.typeIndex(event.project, storableText(name))
      if (index === null)
        warnings.push(warning('group_type_limit', event, { groupType: name.slice(0, MAX_GROUP_KEY_CHARACTERS) }))
      else {
        if (properties === event.properties) properties = copyOf(properties)
        properties[NAMES[index] as string] = key
      }
    }
  } else if ($groups !== undefined && $groups !== null) {
    warnings.push(warning('groups_not_object', event, { property: '$groups' }))
  }
  return { properties, groups: groupKeys(properties) }
}

/** Most events have none and share this one. */
export const NO_GROUPS: GroupKeys = ['', '', '', '', '']

function groupKeys(properties: JsonObject): GroupKeys {
  let keys = NO_GROUPS
  for (let index = 0; index < NAMES.length; index++) {
    const key = properties[NAMES[index] as string]
    if (key === undefined || key === null) continue
    if (keys === NO_GROUPS) keys = [...NO_GROUPS]
    keys[index] = keyText(key)
  }
  return keys
}

/** `$groupidentify`: creates the group or merges `$group_set` into its properties. Returns the index of its type. */
export function identifyGroup(set: GroupSet, event: NormalisedEvent, warnings: Warning[]): number | null {
  const group = groupOf(event)
  if (!group) return null
  const index = set.typeIndex(event.project, group.type)
  if (index === null) {
    warnings.push(warning('group_type_limit', event, { groupType: group.type.slice(0, MAX_GROUP_KEY_CHARACTERS) }))
    return null
  }
  const changes = groupChanges(event, warnings)
  const key = groupKeyOf(event.project, index, group.key)
  const known = set.groups.get(key)
  if (!known) {
    const properties = fits(event, changes, warnings) ? changes : {}
    const { project } = event
    const createdAt = birthday(event.timestamp)
    const state = { project, typeIndex: index, key: group.key, properties, createdAt, version: 0, storedVersion: null }
    set.groups.set(key, state)
    return index
  }
  const properties = overlaid(known.properties, changes)
  if (properties === known.properties || !fits(event, properties, warnings)) return index
  known.properties = properties
  known.version += 1
  return index
}

function groupChanges(event: NormalisedEvent, warnings: Warning[]): JsonObject {
  const { $group_set } = event.properties
  if (isObject($group_set)) return storableOf(event, '$group_set', $group_set, warnings)
  if ($group_set !== undefined && $group_set !== null)
    warnings.push(warning('groups_not_object', event, { property: '$group_set' }))
  return {}
}

function fits(event: NormalisedEvent, properties: JsonObject, warnings: Warning[]): boolean {
  const bytes = Buffer.byteLength(jsonText(properties))
  if (bytes > MAX_GROUP_BYTES)
    warnings.push(warning('group_properties_too_large', event, { bytes, limit: MAX_GROUP_BYTES }))
  return bytes <= MAX_GROUP_BYTES
}
