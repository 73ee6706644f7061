// `npm test`: installs what is missing, then lints, checks types and import directions, and runs every test.
// Arguments go to vitest: `npm test -- src/log` runs one folder only. `npm run test:fast` runs what needs no engine and no browser.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { installIfNeeded, root, run } from './prepare.mjs'

installIfNeeded()
const bin = (name) => `node_modules/.bin/${name}`
const extra = process.argv.slice(2)
const fast = extra.join(' ').includes('--project fast')
const CHROMIUM = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
if (!fast) installSystemPackages({ 'chromium-headless-shell': CHROMIUM, 'nats-server': ['/usr/sbin/nats-server'] })
if (extra.length === 0) {
  await Promise.all([
    check('biome', 'check', '--error-on-warnings'),
    check('tsc', '--noEmit'),
    check('tsc', '--noEmit', '-p', 'web'),
    check('node', 'scripts/check-imports.mjs'),
  ])
  if (process.env.CI) alsoOnNode(24)
}
const { status } = spawnSync(bin('vitest'), ['run', ...extra], { cwd: root, stdio: 'inherit' })
process.exit(status ?? 1)

/** Ends everything with what the check said when it finds something. The checks run side by side. */
async function check(name, ...args) {
  const child = spawn(name === 'node' ? process.execPath : bin(name), args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => output.push(part))
  const [code] = await once(child, 'close')
  if (code === 0) return
  process.stderr.write(Buffer.concat(output))
  console.error(`${name} ${args.join(' ')} ended with status ${code}`)
  process.exit(1)
}

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
  const prefix = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  const commands = [
    [...prefix, 'apt-get', 'update', '-qq'],
    [...prefix, 'apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...missing],
  ]
  console.error(
    `These tests also need ${missing.join(' and ')}, which are not installed. Installing them on this machine:`,
  )
  for (const command of commands) console.error(`  ${command.join(' ')}`)
  if (prefix.length > 0) console.error('(sudo is asked without a password; `npm run test:fast` needs none of this)')
  for (const [file, ...args] of commands) run(file, args)
}
