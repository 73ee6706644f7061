import { type Json, type JsonObject, plainText, stringifyJson } from '../../lib/json.ts'

/** Ids that machines make: five groups of small letters and digits, as in a uuid. */
const ANONYMOUS = /^[a-z0-9]+(?:-[a-z0-9]+){4}$/i
export const isAnonymousId = (distinctId: string): boolean => ANONYMOUS.test(distinctId)

export interface PositionedId {
  readonly distinctId: string
  readonly position: number
}

/** The main id of an alias first, then those that people chose, then those that machines made; each in the order they came. */
export function orderedDistinctIds(ids: readonly PositionedId[]): string[] {
  const rank = ({ distinctId, position }: PositionedId) => (position < 0 ? 0 : isAnonymousId(distinctId) ? 2 : 1)
  return ids.toSorted((a, b) => rank(a) - rank(b) || a.position - b.position).map(({ distinctId }) => distinctId)
}

const NAMING = ['email', 'Email', '$email', 'name', 'Name', 'username', 'Username', 'UserName']

/**
 * What a person is called: the first property of the project's own list (or of the usual ones) that says something, else the first distinct
 * id, else the id. Always text: a value that is none is shown as its JSON.
 */
export function personName(
  person: { readonly id: number; readonly properties: JsonObject; readonly distinctIds: readonly string[] },
  projectProperties: readonly string[] | null,
): string {
  const keys = projectProperties && projectProperties.length > 0 ? projectProperties : NAMING
  for (const key of keys) {
    const value = Object.hasOwn(person.properties, key) ? person.properties[key] : undefined
    if (value) return textOf(value)
  }
  return person.distinctIds[0] ?? String(person.id)
}

const textOf = (value: Json): string => (typeof value === 'string' ? plainText(value) : stringifyJson(value))
