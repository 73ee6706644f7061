/** What a flag's conditions name: other flags and cohorts. Both must be there, and flags may not depend on themselves. */
import { InvalidInput, type Path } from '../../lib/invalid-input.ts'
import { isObject, type Json, type JsonObject } from '../../lib/json.ts'
import { cohortIn, idIn, shown } from './filter.ts'

interface Named {
  readonly id: number
  readonly path: Path
  readonly filter: JsonObject
}

/** Every filter of a type in the conditions of a document, whatever else is in it. */
function filtersOfType(filters: Json, type: string, id: (filter: JsonObject) => number | null): Named[] {
  if (!isObject(filters)) return []
  return ['groups', 'super_groups'].flatMap((list) =>
    listIn(filters[list]).flatMap((condition, at) =>
      listIn(isObject(condition) ? condition.properties : null).flatMap((filter, index) => {
        if (!isObject(filter) || filter.type !== type) return []
        const named = id(filter)
        return named === null ? [] : [{ id: named, filter, path: ['filters', list, at, 'properties', index] }]
      }),
    ),
  )
}

const listIn = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])

const flagsNamedIn = (filters: Json) => filtersOfType(filters, 'flag', ({ key }) => idIn(key))
const cohortsNamedIn = (filters: Json) => filtersOfType(filters, 'cohort', ({ value }) => cohortIn(value))

export const dependenciesOf = (filters: Json): number[] => [...new Set(flagsNamedIn(filters).map(({ id }) => id))]

/** The ids of the cohorts that conditions name. */
export const cohortsOf = (filters: Json): number[] => [...new Set(cohortsNamedIn(filters).map(({ id }) => id))]

/** A flag as others depend on it. */
export interface KnownFlag {
  readonly id: number
  readonly key: string
  readonly active: boolean
  readonly filters: Json
}

/** Everything a document may name. */
export interface Nameable {
  /** The flags of the project that are not deleted. */
  readonly flags: readonly KnownFlag[]
  readonly cohorts: ReadonlySet<number>
}

export interface OfFlag {
  /** Null before it is first saved. */
  readonly id: number | null
  readonly active: boolean
}

export function checkNamed(filters: Json, flag: OfFlag, { flags, cohorts }: Nameable): void {
  for (const { id, path } of cohortsNamedIn(filters))
    if (!cohorts.has(id)) throw new InvalidInput(`There is no cohort ${id} in this project.`, [...path, 'value'])
  const byId = new Map(flags.map((each) => [each.id, each]))
  for (const { id, path, filter } of flagsNamedIn(filters)) {
    if (id === flag.id) throw new InvalidInput('A flag cannot depend on itself.', [...path, 'key'])
    const other = byId.get(id)
    if (!other) throw new InvalidInput(`There is no flag ${id} in this project.`, [...path, 'key'])
    if (flag.active && !other.active)
      throw new InvalidInput(
        `The flag "${other.key}" is disabled, so nothing that is active can depend on it: enable it first.`,
        [...path, 'key'],
      )
    const { value } = filter
    if (typeof value === 'string' && !variantKeys(other.filters).includes(value))
      throw new InvalidInput(`The flag "${other.key}" has no variant ${shown(value)}.`, [...path, 'value'])
    const circle = flag.id === null ? null : wayTo(flag.id, other, byId)
    if (circle)
      throw new InvalidInput(
        `The flags would depend on each other in a circle: this flag -> ${circle.join(' -> ')} -> this flag.`,
        [...path, 'key'],
      )
  }
}

export const variantKeys = (filters: Json): string[] =>
  listIn(isObject(filters) && isObject(filters.multivariate) ? filters.multivariate.variants : null).flatMap((each) =>
    isObject(each) && typeof each.key === 'string' ? [each.key] : [],
  )

/** The keys of the flags from one flag to another along what they depend on; null when there is no such way. */
function wayTo(wanted: number, from: KnownFlag, flags: ReadonlyMap<number, KnownFlag>): string[] | null {
  const before = new Map<number, KnownFlag | null>([[from.id, null]])
  const waiting = [from]
  for (let flag = waiting.shift(); flag !== undefined; flag = waiting.shift()) {
    for (const id of dependenciesOf(flag.filters)) {
      if (id === wanted) return wayBack(flag, before)
      const next = flags.get(id)
      if (!next || before.has(id)) continue
      before.set(id, flag)
      waiting.push(next)
    }
  }
  return null
}

function wayBack(last: KnownFlag, before: ReadonlyMap<number, KnownFlag | null>): string[] {
  const keys: string[] = []
  for (let flag: KnownFlag | null = last; flag !== null; flag = before.get(flag.id) ?? null) keys.unshift(flag.key)
  return keys
}

/** Those whose conditions name the flag. */
export const dependentsOf = <F extends KnownFlag>(id: number, flags: readonly F[]): F[] =>
  flags.filter((flag) => flag.id !== id && dependenciesOf(flag.filters).includes(id))

/** Whether a flag may be turned off or taken away: not while active flags depend on it. */
export function checkMayEnd(flag: KnownFlag, flags: readonly KnownFlag[], doing: string, path: Path): void {
  const dependents = dependentsOf(flag.id, flags).filter(({ active }) => active)
  if (dependents.length === 0) return
  const names = dependents.slice(0, 5).map(({ key }) => `"${key}"`)
  throw new InvalidInput(
    `This flag cannot be ${doing} while active flags depend on it: ${names.join(', ')}` +
      `${dependents.length > names.length ? ` and ${dependents.length - names.length} others` : ''}.`,
    path,
  )
}
