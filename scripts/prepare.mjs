// What a fresh clone needs before anything runs: dependencies and dist/. Node built-ins only; silent and quick when nothing changed.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
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

/** Compiles src/ into dist/ and copies the SQL beside it, unless dist/ was made from these very sources. */
export function buildIfNeeded() {
  const fingerprint = hashOf(['src', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'])
  const stamp = at('dist', '.built-from')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint) return
  console.error('Building ...')
  const fresh = `dist-${process.pid}`
  run(process.execPath, [
    at('node_modules', 'typescript', 'bin', 'tsc'),
    '-p',
    'tsconfig.build.json',
    '--outDir',
    fresh,
  ])
  for (const file of filesIn('src').filter((name) => name.endsWith('.sql'))) {
    const target = at(fresh, path.relative('src', file))
    mkdirSync(path.dirname(target), { recursive: true })
    cpSync(at(file), target)
  }
  writeFileSync(at(fresh, '.built-from'), fingerprint)
  rmSync(at('dist'), { recursive: true, force: true })
  renameSync(at(fresh), at('dist'))
}

export function hashOf(entries) {
  const hash = createHash('sha256')
  for (const file of entries.flatMap(filesIn))
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(at(file)))
      .update('\0')
  return hash.digest('hex')
}

function filesIn(entry) {
  const listed = existsSync(at(entry)) && readdirSafe(at(entry))
  if (!listed) return [entry]
  return listed.sort().flatMap((name) => filesIn(path.join(entry, name)))
}

function readdirSafe(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return null
  }
}
