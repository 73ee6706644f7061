/**
 * Cohorts and actions in SQL. Membership is asked at the moment of the question: a current person, by what it is and
 * did up to now.
 */
import { and, type Fragment, or, propertyOf, sql, uint } from '../../engines/clickhouse-sql.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'
import type { InsightContext } from '../facts/context.ts'
import type { Named } from '../sql/event-scope.ts'
import { type OperatorContext, satisfies } from '../sql/operators.ts'
import type { Cohort, Criteria } from './cohort.ts'
import { findNamed, NO_DEFINITIONS } from './definitions.ts'
import { whoDid } from './who-did.ts'

type Context = Pick<InsightContext, 'project' | 'now' | 'hasOverrides' | 'definitions'>

/** `inside`: the cohorts that are being written out, none of which may be made of itself. */
export function namedIn(context: Context, inside: readonly number[] = []): Named {
  const { actions, cohorts } = context.definitions ?? NO_DEFINITIONS
  return {
    members(idOrName, path) {
      const cohort = findNamed(cohorts, idOrName)
      if (cohort === undefined)
        throw new InvalidQuery(`There is no cohort ${JSON.stringify(idOrName)} in this project.`, path)
      if (inside.includes(cohort.id))
        throw new InvalidQuery(`The cohort ${JSON.stringify(cohort.name ?? cohort.id)} is made of itself.`, path)
      return membersOf(cohort, context, [...inside, cohort.id])
    },
    action(idOrName, path) {
      const action = findNamed(actions, idOrName)
      if (action === undefined)
        throw new InvalidQuery(`There is no action ${JSON.stringify(idOrName)} in this project.`, path)
      return action.nodes
    },
    cohorts: [...cohorts.keys()],
    operators: operatorsOf(context),
  }
}

/** Patterns of definitions were looked at when they were saved. */
const operatorsOf = ({ project, now }: Context): OperatorContext => ({ timezone: project.timezone, now })

function membersOf(cohort: Cohort, context: Context, inside: readonly number[]): Fragment {
  const condition = cohort.isStatic ? isPutInto(cohort, context) : fits(cohort.criteria, context, inside)
  return sql`SELECT p.id FROM persons AS p FINAL
WHERE p.project_id = ${uint(context.project.id)} AND p.is_deleted = 0 AND (${condition})`
}

const isPutInto = ({ id }: Cohort, { project }: Context): Fragment => sql`p.id IN (
  SELECT person_id FROM cohort_people FINAL
  WHERE project_id = ${uint(project.id)} AND cohort_id = ${uint(id)} AND is_deleted = 0)`

function fits(criteria: Criteria, context: Context, inside: readonly number[]): Fragment {
  switch (criteria.kind) {
    case 'group': {
      const parts = criteria.values.map((each) => fits(each, context, inside))
      return criteria.type === 'AND' && parts.length > 0 ? and(parts) : or(parts)
    }
    case 'not':
      return sql`NOT (${fits(criteria.of, context, inside)})`
    case 'behaviour':
      return sql`p.id IN (${whoDid(criteria, context, namedIn(context, inside))})`
    case 'property': {
      if (criteria.type !== 'cohort')
        return satisfies(propertyOf(sql`p.props`, criteria.key), criteria, operatorsOf(context))
      const others = criteria.values.map((id) => sql`p.id IN (${namedIn(context, inside).members(id, ['filters'])})`)
      return criteria.operator === 'not_in' || criteria.operator === 'is_not' ? sql`NOT (${or(others)})` : or(others)
    }
  }
}
