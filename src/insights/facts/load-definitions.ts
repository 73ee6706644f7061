/** Reads what a project has given names to, for one question. */
import { ZodError } from 'zod'
import { parsedBy } from '../../contract/parsed-by.ts'
import type { EventsNode } from '../../contract/queries/index.ts'
import type { Sql } from '../../engines/postgres/index.ts'
import { actionStep, nodeOfStep } from '../definitions/action.ts'
import { type Criteria, NOBODY, readCriteria, readGroups } from '../definitions/cohort.ts'
import type { Definitions } from '../definitions/definitions.ts'

export async function loadDefinitions(sql: Sql, project: number): Promise<Definitions> {
  const actions = await sql<{ id: number; name: string | null; steps: unknown[] }[]>`
    SELECT id, name, steps FROM actions WHERE project_id = ${project} AND NOT deleted ORDER BY id`
  const cohorts = await sql<StoredCohort[]>`
    SELECT id, name, groups, filters, is_static FROM cohorts WHERE project_id = ${project} AND NOT deleted ORDER BY id`
  return {
    actions: new Map(actions.map(({ id, name, steps }) => [id, { id, name, nodes: steps.flatMap(nodeOfStored) }])),
    cohorts: new Map(
      cohorts.map((cohort) => [
        cohort.id,
        { id: cohort.id, name: cohort.name, isStatic: cohort.is_static, criteria: criteriaOf(cohort) },
      ]),
    ),
  }
}

/** A step that an earlier version stored and that cannot be read is about no event, and holds up no question. */
function nodeOfStored(stored: unknown): EventsNode[] {
  const step = parsedBy(actionStep, stored)
  if (!step.success) return []
  try {
    return [nodeOfStep(step.data)]
  } catch (error) {
    if (error instanceof ZodError) return []
    throw error
  }
}

interface StoredCohort {
  readonly id: number
  readonly name: string | null
  readonly groups: unknown
  readonly filters: unknown
  readonly is_static: boolean
}

/**
 * `filters` count before the older `groups`. What was stored was read before: what cannot be read any more is nobody.
 */
function criteriaOf({ is_static, filters, groups }: Pick<StoredCohort, 'is_static' | 'filters' | 'groups'>): Criteria {
  if (is_static) return NOBODY
  try {
    return filters === null ? readGroups(groups, unreadable) : readCriteria(filters, unreadable)
  } catch (error) {
    if (error instanceof Unreadable) return NOBODY
    throw error
  }
}

class Unreadable extends Error {}
const unreadable = (message: string): never => {
  throw new Unreadable(message)
}
