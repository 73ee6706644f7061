import { isObject, type Json, type JsonObject } from '../../lib/json.ts'
import { storableText } from '../rules/storable.ts'
import { guessType, type PropertyType } from './guess-type.ts'

/** Counts of the names in some events: the events, and the properties of events, persons and groups. */
export type Tally = Map<number, ProjectTally>

export interface ProjectTally {
  readonly events: Map<string, EventTally>
  readonly person: Map<string, PropertyTally>
  /** By the index of the group type. */
  readonly group: Map<number, Map<string, PropertyTally>>
}

interface EventTally {
  count: number
  readonly properties: Map<string, PropertyTally>
}

export interface PropertyTally {
  count: number
  type: PropertyType | null
  readonly samples: Json[]
}

export interface DefinitionEvent {
  readonly project: number
  readonly event: string
  /** As stored. */
  readonly properties: JsonObject
  /** Of a `$groupidentify`: the index of its group type. */
  readonly groupTypeIndex?: number | null
}

export const MAX_SAMPLES = 10
const MAX_NAME = 200
const MAX_SAMPLE = 100
const MAX_PROPERTIES = 1_000
const SKIPPED_EVENTS = new Set(['$$plugin_metrics'])
const NOT_OF_THE_EVENT = new Set(
  '$set $set_once $unset $groups $group_0 $group_1 $group_2 $group_3 $group_4 $group_set'.split(' '),
)

export const emptyProject = (): ProjectTally => ({ events: new Map(), person: new Map(), group: new Map() })
const emptyProperty = (): PropertyTally => ({ count: 0, type: null, samples: [] })

export function tallyOf(events: readonly DefinitionEvent[], nowMs: number): Tally {
  const tally: Tally = new Map()
  for (const event of events) {
    if (SKIPPED_EVENTS.has(event.event) || event.event.length > MAX_NAME) continue
    const project = getOrAdd(tally, event.project, emptyProject)
    const seen = getOrAdd(project.events, event.event, () => ({ count: 0, properties: new Map() }))
    seen.count += 1
    const { $set, $set_once, $group_set } = event.properties
    if (event.event === '$groupidentify') {
      if (typeof event.groupTypeIndex === 'number' && isObject($group_set))
        count(
          getOrAdd(project.group, event.groupTypeIndex, () => new Map()),
          $group_set,
          nowMs,
        )
      continue
    }
    count(seen.properties, event.properties, nowMs, NOT_OF_THE_EVENT)
    if (isObject($set)) count(project.person, $set, nowMs)
    if (isObject($set_once)) count(project.person, $set_once, nowMs)
  }
  return tally
}

const NOTHING: ReadonlySet<string> = new Set()

function count(into: Map<string, PropertyTally>, values: JsonObject, nowMs: number, skipped = NOTHING): void {
  let left = MAX_PROPERTIES
  for (const name in values) {
    if (name.length > MAX_NAME || skipped.has(name)) continue
    if (left-- === 0) return
    const property = getOrAdd(into, name, emptyProperty)
    property.count += 1
    const value = values[name] as Json
    property.type ??= guessType(name, value, nowMs)
    if (property.samples.length < MAX_SAMPLES) sample(property.samples, value)
  }
}

function sample(samples: Json[], value: Json): void {
  if (value === null || typeof value === 'object' || value === '') return
  if (typeof value === 'string' && value.length > MAX_SAMPLE) return
  const kept = typeof value === 'string' ? storableText(value) : value
  if (!samples.includes(kept)) samples.push(kept)
}

/** Adds one tally to another. */
export function addTally(to: Tally, from: Tally): void {
  for (const [id, project] of from) {
    const target = getOrAdd(to, id, emptyProject)
    for (const [name, event] of project.events) {
      const seen = getOrAdd(target.events, name, () => ({ count: 0, properties: new Map() }))
      seen.count += event.count
      addProperties(seen.properties, event.properties)
    }
    addProperties(target.person, project.person)
    for (const [index, properties] of project.group)
      addProperties(
        getOrAdd(target.group, index, () => new Map()),
        properties,
      )
  }
}

function addProperties(to: Map<string, PropertyTally>, from: Map<string, PropertyTally>): void {
  for (const [name, property] of from) addProperty(getOrAdd(to, name, emptyProperty), property)
}

export function addProperty(to: PropertyTally, from: PropertyTally): void {
  to.count += from.count
  to.type ??= from.type
  for (const value of from.samples)
    if (to.samples.length < MAX_SAMPLES && !to.samples.includes(value)) to.samples.push(value)
}

export function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key)
  if (value === undefined) {
    value = make()
    map.set(key, value)
  }
  return value
}
