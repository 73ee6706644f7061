/**
 * A cohort as it can be decided for one person from its properties. Cohorts with criteria that only stored events (or
 * ClickHouse's own operators) can answer are `behavioural`: membership is asked of the engine.
 */
import { FLAG_OPERATORS, type FlagOperator } from '../../contract/resources/feature-flags.ts'
import { isObject, type Json, type JsonObject, numberFrom } from '../../lib/json.ts'
import { compileMatcher } from '../operators/matcher.ts'
import type { CohortCriteria, CompiledCohort } from './definition.ts'
import type { StoredFlagCohort } from './stored.ts'

class AskTheEngine extends Error {
  override name = 'AskTheEngine'
}

export function compileCohort({ id, is_static, filters, groups }: StoredFlagCohort, timezone: string): CompiledCohort {
  if (is_static) return { id, kind: 'static' }
  try {
    const root = isObject(filters) && 'properties' in filters ? filters.properties : filters
    const document = isObject(root) && 'values' in root ? root : olderGroups(groups)
    return { id, kind: 'properties', criteria: criteriaOf(document, timezone), document }
  } catch (error) {
    if (error instanceof AskTheEngine) return { id, kind: 'behavioural' }
    throw error
  }
}

/** A list of groups of properties, one of which must fit. */
function olderGroups(groups: Json): JsonObject {
  const list = Array.isArray(groups) ? groups : []
  const values = list.map((group): JsonObject => {
    if (!isObject(group) || !Array.isArray(group.properties)) throw new AskTheEngine()
    return { type: 'AND', values: group.properties }
  })
  return { type: 'OR', values }
}

function criteriaOf(value: Json | undefined, timezone: string): CohortCriteria {
  if (!isObject(value)) throw new AskTheEngine()
  if ((value.type === 'AND' || value.type === 'OR') && Array.isArray(value.values)) {
    // SDKs take a group of nothing for everybody, pages for nobody: the engine decides.
    if (value.values.length === 0) throw new AskTheEngine()
    const values = value.values.map((each) => criteriaOf(each, timezone))
    return { kind: 'group', all: value.type === 'AND', values }
  }
  const leaf = leafOf(value, timezone)
  return value.negation === true || value.negation === 'true' ? { kind: 'not', of: leaf } : leaf
}

function leafOf(fields: JsonObject, timezone: string): CohortCriteria {
  const { type = 'person', operator = 'exact', key, value } = fields
  switch (type) {
    case 'cohort':
    case 'static-cohort':
    case 'precalculated-cohort': {
      const cohortId = numberFrom(value)
      if (!Number.isInteger(cohortId)) throw new AskTheEngine()
      return { kind: 'cohort', cohortId, negated: operator === 'not_in' || operator === 'is_not' }
    }
    case 'person':
    case null: {
      if (typeof key !== 'string' || !(operator === null || isOperator(operator))) throw new AskTheEngine()
      return { kind: 'person', key, matches: compileMatcher({ operator, value }, timezone) }
    }
  }
  throw new AskTheEngine()
}

const isOperator = (value: Json): value is FlagOperator => (FLAG_OPERATORS as readonly Json[]).includes(value)
