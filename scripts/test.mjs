// `npm test`: installs what is missing, then lints, checks types and import directions, and runs every test.
// Arguments go to vitest: `npm test -- src/log` runs one room only.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { buildWebIfNeeded } from './build-web.mjs'
import { buildIfNeeded, installIfNeeded, root, run } from './prepare.mjs'

installIfNeeded()
installSystemPackages({ chromium: ['/usr/bin/chromium'], 'nats-server': ['/usr/sbin/nats-server'] })
buildIfNeeded()
buildWebIfNeeded()

const bin = (name) => `node_modules/.bin/${name}`
const extra = process.argv.slice(2)
if (extra.length === 0) {
  run(bin('biome'), ['check', '--error-on-warnings'])
  run(bin('tsc'), ['--noEmit'])
  run(bin('tsc'), ['--noEmit', '-p', 'web'])
  run(bin('depcruise'), ['src', '--config', '.dependency-cruiser.json'])
  if (process.env.CI) alsoOnNode(24)
}
const { status } = spawnSync(bin('vitest'), ['run', ...extra], { cwd: root, stdio: 'inherit' })
process.exit(status ?? 1)

/** Users have newer Nodes than the machines that test: the rooms without a browser or a whole service also run on one. npm ships it. */
function alsoOnNode(major) {
  const rooms = ['src/lib', 'src/log', 'src/capture', 'src/service', 'src/pipeline']
  run('npx', ['-y', '-p', `node@${major}`, 'node', 'node_modules/vitest/vitest.mjs', 'run', ...rooms])
}

/** Browser and servers that the tests drive, from Debian's packages where they are missing. */
function installSystemPackages(wanted) {
  const missing = Object.keys(wanted).filter((name) => !wanted[name].some((file) => existsSync(file)))
  if (missing.length === 0) return
  if (!existsSync('/usr/bin/apt-get')) {
    console.error(`These tests also need ${missing.join(', ')}: install them with your package manager.`)
    process.exit(1)
  }
  const root = process.getuid?.() === 0
  const apt = (...args) => (root ? run('apt-get', args) : run('sudo', ['-n', 'apt-get', ...args]))
  apt('update', '-qq')
  apt('install', '-y', '-qq', '--no-install-recommends', ...missing)
}
