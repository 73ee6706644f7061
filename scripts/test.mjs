// `npm test`: installs what is missing, then lints, checks types and import directions, and runs every test. Arguments
// go to vitest: `npm test -- src/log` runs one folder only. `npm run test:fast` runs what needs no engine and no
// browser.
import { spawnSync } from 'node:child_process'
import { runChecks } from './checks.mjs'
import { installIfNeeded, root, run } from './prepare.mjs'
import { installSystemPackages } from './system-packages.mjs'

installIfNeeded()
const extra = process.argv.slice(2)
const fast = extra.join(' ').includes('--project fast')
if (!fast && !(await installSystemPackages(run))) process.exit(1)
if (extra.length === 0) {
  if (!(await runChecks())) process.exit(1)
  if (process.env.CI) alsoOnNode(24)
}
// `TEST_REPORT=file`: what passed and failed is also written there, as JSON.
const report = process.env.TEST_REPORT
const reporters = report ? ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`] : []
const { status } = spawnSync('node_modules/.bin/vitest', ['run', ...reporters, ...extra], {
  cwd: root,
  stdio: 'inherit',
})
process.exit(status ?? 1)

/**
 * Users have newer Nodes than the machines that test: folders that need no browser and no whole service also run on
 * one. npm ships it.
 */
function alsoOnNode(major) {
  const folders = ['src/lib', 'src/log', 'src/capture', 'src/service', 'src/pipeline']
  run('npx', ['-y', '-p', `node@${major}`, 'node', 'node_modules/vitest/vitest.mjs', 'run', ...folders])
}
