// `npm start`: makes sure that dependencies and dist/ are there, then becomes the service (same process, so signals reach it).
import { buildIfNeeded, installIfNeeded, root } from './prepare.mjs'

installIfNeeded()
buildIfNeeded()
process.chdir(root)
process.argv.splice(2, 0, 'serve')
await import('../dist/cli.js')
