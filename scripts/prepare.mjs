// What a fresh clone needs before anything runs: dependencies and dist/. Node built-ins only; silent and quick when
// nothing changed.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const at = (...parts) => path.join(root, ...parts)

/** Runs a command with its output on stderr, so that stdout stays the service's own. Throws when it fails. */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], ...options })
  if (error) throw error
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with status ${status}`)
}

/** `npm ci` unless every package of the lock file is already there in its version. */
export function installIfNeeded() {
  if (installed()) return
  console.error('Installing dependencies (once; the engines are about 250 MB to download) ...')
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'])
}

function installed() {
  const record = at('node_modules', '.package-lock.json')
  if (!existsSync(record)) return false
  const wanted = JSON.parse(readFileSync(at('package-lock.json'), 'utf8')).packages
  const present = JSON.parse(readFileSync(record, 'utf8')).packages
  // Packages for other platforms are optional and rightly absent.
  return Object.entries(wanted).every(
    ([name, { version, optional, link }]) => name === '' || optional || link || present[name]?.version === version,
  )
}

/** What the compiled code is made of. Tests are no part of it; the programs that tests start are, with what they import. */
const COMPILED_FROM = ['src', 'package-lock.json']
const FOR_TESTS = ['test/support']
const BUNDLER = at('scripts', 'bundle.mjs')

/** Bundles src/ into dist/ and copies the SQL beside it, unless dist/ was made from these very sources. */
export function buildIfNeeded() {
  const fingerprint = fingerprintOf(COMPILED_FROM, root)
  if (builtFrom(at('dist')) === fingerprint) return
  console.error('Building ...')
  const fresh = compile(root, fingerprint)
  rmSync(at('dist'), { recursive: true, force: true })
  renameSync(fresh, at('dist'))
}

const A_DAY_MS = 24 * 60 * 60 * 1000

/**
 * The folder with src/ as it is at this moment, compiled, for programs that tests start in a process or thread of their
 * own. It is named by what it was made from and never changes once it is there, so it cannot be stale, and a change
 * during a run disturbs nobody.
 */
export function compiledForTests(base = root) {
  const fingerprint = fingerprintOf([...COMPILED_FROM, ...FOR_TESTS], base)
  const folder = path.join(base, `dist-test-${fingerprint.slice(0, 16)}`)
  if (builtFrom(folder) === fingerprint) return folder
  const fresh = compile(base, fingerprint, '--with-tests')
  try {
    renameSync(fresh, folder)
  } catch (error) {
    // Another process was faster with the same sources.
    if (builtFrom(folder) !== fingerprint) throw error
    rmSync(fresh, { recursive: true, force: true })
  }
  return folder
}

/** Removes what earlier runs compiled and nobody has used for a day. */
export function forgetOldCompiled(inUse, base = root) {
  const now = new Date()
  utimesSync(inUse, now, now)
  for (const name of readdirSync(base).filter((each) => each.startsWith('dist-test-'))) {
    const folder = path.join(base, name)
    if (now.getTime() - statSync(folder).mtimeMs > A_DAY_MS) rmSync(folder, { recursive: true, force: true })
  }
}

function builtFrom(folder) {
  const stamp = path.join(folder, '.built-from')
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : null
}

/** The bundler counts too: another one makes other files of the same sources. */
const fingerprintOf = (entries, base) => hashOf([path.relative(base, BUNDLER), ...entries], base)

/** Into a folder of its own, which the caller moves where it belongs. */
function compile(base, fingerprint, ...options) {
  const fresh = path.join(base, `dist-${process.pid}-${Date.now()}`)
  try {
    run(process.execPath, [BUNDLER, base, fresh, ...options], { cwd: base })
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    throw error
  }
  for (const file of filesIn('src', base).filter((name) => name.endsWith('.sql'))) {
    const target = path.join(fresh, path.relative('src', file))
    mkdirSync(path.dirname(target), { recursive: true })
    cpSync(path.join(base, file), target)
  }
  writeFileSync(path.join(fresh, '.built-from'), fingerprint)
  return fresh
}

export function hashOf(entries, base = root) {
  const hash = createHash('sha256')
  for (const file of entries.flatMap((entry) => filesIn(entry, base)).filter((name) => !name.endsWith('.test.ts')))
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(path.join(base, file)))
      .update('\0')
  return hash.digest('hex')
}

function filesIn(entry, base) {
  if (!existsSync(path.join(base, entry))) return []
  if (!statSync(path.join(base, entry)).isDirectory()) return [entry]
  return readdirSync(path.join(base, entry), { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => path.relative(base, path.join(each.parentPath, each.name)))
    .sort()
}
