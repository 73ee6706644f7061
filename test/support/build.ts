import type { TestProject } from 'vitest/node'
import { buildWebIfNeeded } from '../../scripts/build-web.mjs'
import { compiledForTests, forgetOldCompiled } from '../../scripts/prepare.mjs'

/** Browsers are served web/dist/, and programs in processes and threads of their own need src/ compiled: both are made before the first test. */
export function setup(project: TestProject) {
  forgetOldCompiled(compiledForTests())
  buildWebIfNeeded()
  project.onTestsRerun(buildWebIfNeeded)
}
