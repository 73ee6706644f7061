// `npm run lint`: everything that `npm test` checks before it runs the tests.
import { runChecks } from './checks.mjs'
import { installIfNeeded } from './prepare.mjs'

installIfNeeded()
const passed = await runChecks()
if (passed) console.log('Style, types and imports are fine.')
process.exit(passed ? 0 : 1)
