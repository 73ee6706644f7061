/** SQL of ours about the events and properties of a project. */
import type { ActorsPropertyTaxonomyQuery, EventTaxonomyQuery } from '../../contract/queries/index.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'

const DAYS = 30
/** Values are looked for in the newest events. */
const NEWEST = 10_000
const USUAL_VALUES = 5
const MOST_PROPERTIES = 500

const text = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

export const eventNamesSql = (limit: number, offset: number): string => `
  select event, count() as count from events where timestamp >= now() - interval ${DAYS} day
  group by event order by count desc, event limit ${limit} offset ${offset}`

export function eventValuesSql({
  event,
  actionId,
  properties = [],
  maxPropertyValues = USUAL_VALUES,
}: EventTaxonomyQuery) {
  if (event === undefined && actionId === undefined)
    throw new InvalidQuery('Say whose properties are asked for: event or actionId.', ['query', 'event'])
  const about = event === undefined ? `matchesAction(${actionId})` : 'event = {event}'
  const named = properties.length === 0 ? "key not like '$set%'" : 'key in {properties}'
  const sql = `
  select key, groupUniqArray(${maxPropertyValues})(value), uniq(value) as values from (
    select pair.1 as key, if(JSONType(pair.2) = 'String', JSONExtractString(pair.2), pair.2) as value
    from (select properties from events where ${about} and timestamp >= now() - interval ${DAYS} day
      order by timestamp desc limit ${NEWEST}) as newest
    array join JSONExtractKeysAndValuesRaw(newest.properties) as pair) as pairs
  where ${named} and value != 'null' group by key order by values desc, key limit ${MOST_PROPERTIES}`
  return { sql: sql.replaceAll(/pair\.(\d)/g, 'tupleElement(pair, $1)'), values: { event: event ?? '', properties } }
}

/** Two columns for each property. */
export function actorValuesSql(query: ActorsPropertyTaxonomyQuery): string {
  const { properties, groupTypeIndex, maxPropertyValues = USUAL_VALUES } = query
  const columns = properties.map((name) => {
    const value = `toString(properties[${text(name)}])`
    return `groupUniqArray(${maxPropertyValues})(${value}), uniq(${value})`
  })
  const from = groupTypeIndex === undefined ? 'persons' : `groups where index = ${groupTypeIndex}`
  return `select ${columns.join(', ')} from ${from}`
}
