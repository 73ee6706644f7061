import { compiledForTests } from '../../scripts/prepare.mjs'

/** Before each test file, because src/ may have changed since the last one: in watch mode, or by hand during a run. */
process.env.TEST_COMPILED = compiledForTests()
