import type { Sql } from '../../engines/postgres/index.ts'
import { findFlag, type SavedFlag } from '../../flags/index.ts'
import { type SavedCohort, savedCohorts } from '../../insights/index.ts'
import { InvalidInput } from '../../lib/invalid-input.ts'
import { asText, isObject, type Json, type JsonObject, numberFrom } from '../../lib/json.ts'

interface Copying {
  readonly sql: Sql
  readonly userId: number
  readonly from: number
  readonly to: number
}

/**
 * The filters of a flag as another project can have them. Cohorts and flags have other ids there: flags are found by
 * their key, cohorts by their name, and a cohort that is not there is made.
 */
export async function filtersElsewhere(copying: Copying, { filters }: SavedFlag): Promise<Json> {
  if (!isObject(filters)) return filters
  const { holdout: _, holdout_groups: __, ...document } = filters
  const copy: JsonObject = { ...document }
  for (const list of ['groups', 'super_groups'] as const) {
    const conditions = copy[list]
    if (!Array.isArray(conditions)) continue
    copy[list] = await Promise.all(conditions.map((condition) => conditionElsewhere(copying, condition)))
  }
  return copy
}

async function conditionElsewhere(copying: Copying, condition: Json): Promise<Json> {
  if (!isObject(condition) || !Array.isArray(condition.properties)) return condition
  const properties: Json[] = []
  for (const filter of condition.properties) properties.push(await filterElsewhere(copying, filter))
  return { ...condition, properties }
}

async function filterElsewhere(copying: Copying, filter: Json): Promise<Json> {
  if (!isObject(filter)) return filter
  if (filter.type === 'flag') return { ...filter, key: String(await flagElsewhere(copying, asText(filter.key))) }
  if (filter.type === 'cohort')
    return { ...filter, value: await cohortElsewhere(copying, String(numberFrom(filter.value))) }
  return filter
}

async function flagElsewhere({ sql, from, to }: Copying, id: string): Promise<number> {
  const here = await findFlag(sql, from, id)
  const there = here && (await findFlag(sql, to, here.key))
  if (there && there.key === here.key && !there.deleted) return there.id
  throw new InvalidInput(`The flag depends on "${here?.key ?? id}", which is not in that project: copy that one first.`)
}

async function cohortElsewhere(copying: Copying, id: string): Promise<number> {
  const { sql, from, to, userId } = copying
  const here = await savedCohorts.find(sql, from, id)
  if (!here) throw new InvalidInput(`There is no cohort ${id} any more.`)
  const [there] = await sql<{ id: number }[]>`
    SELECT id FROM cohorts WHERE project_id = ${to} AND NOT deleted AND name = ${here.name} ORDER BY id LIMIT 1`
  if (there) return there.id
  if (here.is_static || namesOthers(here))
    throw new InvalidInput(
      `The cohort "${here.name ?? id}" is ${here.is_static ? 'static' : 'made of other things of its project'}: ` +
        'make one with the same name in that project first.',
    )
  const { name, description, groups, filters } = here
  return (await savedCohorts.create(sql, to, userId, { name, description, groups, filters })).id
}

/** Ids in its criteria mean something else in another project. */
const namesOthers = ({ filters, groups }: SavedCohort): boolean =>
  /"type":"(?:cohort|static-cohort|precalculated-cohort)"|"event_type":"actions"|"action_id":/.test(
    JSON.stringify([filters, groups]),
  )
