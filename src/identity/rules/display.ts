import { type Json, type JsonObject, plainText, stringifyJson } from '../../lib/json.ts'

/** Generated ids: five groups of lower-case letters and digits, as in a uuid. */
const ANONYMOUS = /^[a-z0-9]+(?:-[a-z0-9]+){4}$/i
export const isAnonymousId = (distinctId: string): boolean => ANONYMOUS.test(distinctId)

export interface PositionedId {
  readonly distinctId: string
  readonly position: number
}

/** The main id set by an alias first, then ids chosen by people, then generated ones; each in order of arrival. */
export function orderedDistinctIds(ids: readonly PositionedId[]): string[] {
  const rank = ({ distinctId, position }: PositionedId) => (position < 0 ? 0 : isAnonymousId(distinctId) ? 2 : 1)
  return ids.toSorted((a, b) => rank(a) - rank(b) || a.position - b.position).map(({ distinctId }) => distinctId)
}

const NAMING = ['email', 'Email', '$email', 'name', 'Name', 'username', 'Username', 'UserName']

/**
 * The display name of a person: the first non-empty property of the project's list (or of the usual ones), else the
 * first distinct id, else the id. Always text: other values are shown as JSON.
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
