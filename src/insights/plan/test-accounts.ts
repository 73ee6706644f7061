import { type PropertyGroup, readProperties } from '../../contract/queries/index.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'
import type { ProjectFacts } from '../facts/facts.ts'

/** The project's filters that leave out its own people. */
export function testAccountFilters({ project }: Pick<ProjectFacts, 'project'>): PropertyGroup {
  return readProperties(project.test_account_filters, (message, path) => {
    throw new InvalidQuery(`The project's test-account filters: ${message}`, ['test_account_filters', ...path])
  })
}
