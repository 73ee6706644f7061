/**
 * What only the engine can find out, told with where it stands in the text: a bound that the values of a call broke, by
 * the name of the function its words begin with, and a query that needs too much memory, by the calls that keep much.
 */
import { InvalidQuery } from '../../lib/invalid-input.ts'
import type { Place } from './ast.ts'
import { keptBy } from './collected.ts'
import { placeWords, sqlError } from './error.ts'

type Places = ReadonlyMap<string, readonly Place[]>

const MOST_PLACES = 3

export function withPlaces(error: unknown, calls: Places): unknown {
  if (!(error instanceof InvalidQuery)) return error
  if (error.reason === 'query_too_heavy') return tooHeavy(error, calls)
  const [name = ''] = error.message.split(' ', 1)
  return calls.has(name) ? sqlError(`${error.message.replace(/\.$/, '')}${where(calls.get(name))}.`) : error
}

function tooHeavy(error: InvalidQuery, calls: Places): InvalidQuery {
  const keepers = [...calls].flatMap(([name, places]) => {
    const kept = keptBy(name)
    return kept ? [`${name}${where(places)} ${kept}.`] : []
  })
  if (keepers.length === 0) return error
  const words = 'The query needs more time or memory than is allowed: narrow the date range or filters.'
  return new InvalidQuery([words, ...keepers.slice(0, MOST_PLACES)].join(' '), ['query'], 'query_too_heavy')
}

const where = (places: readonly Place[] = []): string =>
  ` (${places.slice(0, MOST_PLACES).map(placeWords).join(' or ')})`
