import type { TestProject } from 'vitest/node'
import { buildWebIfNeeded } from '../../scripts/build-web.mjs'
import { compiledForTests, forgetOldCompiled } from '../../scripts/prepare.mjs'

/**
 * Programs in processes and threads of their own need src/ compiled, and browsers are served web/dist/: both are made before the first
 * test that may want them.
 */
export function setup(project: TestProject) {
  forgetOldCompiled(compiledForTests())
  if (!project.vitest.projects.some(({ name }) => name === 'engines')) return
  buildWebIfNeeded()
  project.onTestsRerun(buildWebIfNeeded)
}
