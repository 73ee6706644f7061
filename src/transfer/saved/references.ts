/**
 * Actions and cohorts are named by numbers, which mean something else in another project. They are found again by
 * their names; what has none here gets the number 0, which is nobody's, and is told.
 */
import { asText, isObject, type Json } from '../../lib/json.ts'

/** Numbers of this project by the names of its actions and cohorts, in lower case. */
export interface Named {
  readonly actions: ReadonlyMap<string, number>
  readonly cohorts: ReadonlyMap<string, number>
}

export interface Renumbered {
  readonly document: Json
  readonly notes: readonly string[]
}

export function renumbered(document: Json, named: Named): Renumbered {
  const notes = new Set<string>()
  const found = (what: 'action' | 'cohort', id: Json, name: Json | undefined): number => {
    const known = typeof name === 'string' ? named[`${what}s`].get(name.toLowerCase()) : undefined
    const called = typeof name === 'string' && name !== '' ? ` ${JSON.stringify(name)}` : ''
    if (known === undefined)
      notes.add(`${what} ${asText(id)}${called} is not in this project: create it, then choose it in the insight`)
    return known ?? 0
  }
  const walk = (value: Json, inside: string): Json => {
    if (Array.isArray(value)) return value.map((each) => walk(each, inside))
    if (!isObject(value)) return value
    const copy = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, walk(each, key)]))
    const isAction = value.kind === 'ActionsNode' || value.type === 'actions' || inside === 'actions'
    if (isAction && isNumber(value.id)) copy.id = found('action', value.id as Json, value.name)
    const name = value.cohort_name ?? value.label
    if (isCohort(value.type) && value.value !== undefined)
      copy.value = each(value.value, (id) => found('cohort', id, name))
    if (value.breakdown_type === 'cohort' && value.breakdown !== undefined)
      copy.breakdown = each(value.breakdown, (id) => (isNumber(id) ? found('cohort', id, undefined) : id))
    return copy
  }
  return { document: walk(document, ''), notes: [...notes] }
}

const isCohort = (type: Json | undefined): boolean =>
  type === 'cohort' || type === 'static-cohort' || type === 'dynamic-cohort' || type === 'precalculated-cohort'

const isNumber = (id: Json | undefined): boolean =>
  typeof id === 'number' || (typeof id === 'string' && /^\d+$/.test(id))

const each = (value: Json, change: (id: Json) => Json): Json =>
  Array.isArray(value) ? value.map(change) : change(value)
