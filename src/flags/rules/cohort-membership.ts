/** Whether the person is in a cohort: by its properties, by having been put there, or by what it did. */
import type { CohortCriteria } from './definition.ts'
import { type Asking, personProperty } from './subject.ts'
import { Undecided } from './undecided.ts'

const DEEPEST = 20

export function matchesCohort(id: number, asking: Asking, depth = 0): boolean {
  const cohort = asking.project.cohorts.get(id)
  if (cohort === undefined || depth > DEEPEST) throw new Undecided('cohort_not_found')
  if (cohort.kind === 'properties') return fits(cohort.criteria, asking, depth)
  const { stored } = asking.subject
  if (stored === null) throw new Undecided('person_unavailable')
  if (cohort.kind === 'static') return stored.staticCohorts.has(id)
  asking.usedBehaviour = true
  // Who is not stored has done nothing yet.
  if (stored.person === null) return false
  const known = stored.isIn(id)
  if (known === undefined) throw new Undecided('cohort_unavailable')
  return known.member
}

function fits(criteria: CohortCriteria, asking: Asking, depth: number): boolean {
  switch (criteria.kind) {
    case 'group':
      return criteria.all
        ? criteria.values.every((each) => fits(each, asking, depth))
        : criteria.values.some((each) => fits(each, asking, depth))
    case 'not':
      return !fits(criteria.of, asking, depth)
    case 'person':
      return asking.budget.holds(criteria.matches, personProperty(criteria.key, asking), asking.subject.now)
    case 'cohort':
      return matchesCohort(criteria.cohortId, asking, depth + 1) !== criteria.negated
  }
}
