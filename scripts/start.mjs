// `npm start`: makes sure that dependencies and dist/ are there, then becomes the service (same process, so signals
// reach it).
import { buildWebIfNeeded } from './build-web.mjs'
import { buildIfNeeded, installIfNeeded, root } from './prepare.mjs'

installIfNeeded()
buildIfNeeded()
buildWebIfNeeded()
process.chdir(root)
process.argv.splice(2, 0, 'serve')
await import(new URL('../dist/cli.js', import.meta.url).href)
