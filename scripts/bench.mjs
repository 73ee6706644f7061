// `npm run bench` lists the benchmarks, `npm run bench service` runs one, `npm run bench all` one after another: compiles
// bench/ with src/ first, because Node 20 does not run TypeScript by itself.
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { buildWebIfNeeded } from './build-web.mjs'
import { buildIfNeeded, installIfNeeded, root } from './prepare.mjs'

const out = path.join(root, `dist-bench-${process.pid}`)
const names = readdirSync(path.join(root, 'bench')).flatMap((file) => /^(.+)\.ts$/.exec(file)?.[1] ?? [])
const [name, ...rest] = process.argv.slice(2)
/** Not part of all: it takes hours, it asks a service that runs elsewhere, it measures nothing. */
const BY_THEMSELVES = ['soak', 'sql-tryout', 'capacity']
const chosen = name === 'all' ? names.filter((each) => !BY_THEMSELVES.includes(each)) : [name]
if (!chosen.every((each) => names.includes(each))) {
  console.log(`npm run bench <name>, where name is all, or one of: ${names.join(', ')}`)
  process.exit(name ? 2 : 0)
}
installIfNeeded()
buildIfNeeded()
buildWebIfNeeded()
const node = (...args) => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1
const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')

try {
  const programs = chosen.map((each) => path.join('bench', `${each}.ts`))
  const options = ['--ignoreConfig', '--noEmit', 'false', '--rootDir', '.', '--outDir', out]
  const language = [
    '--target',
    'ES2023',
    '--lib',
    'ES2024',
    '--module',
    'NodeNext',
    '--types',
    'node',
    '--skipLibCheck',
    '--noUncheckedIndexedAccess',
  ]
  const imports = ['--allowImportingTsExtensions', '--rewriteRelativeImportExtensions']
  process.exitCode = node(compiler, ...programs, ...options, ...language, ...imports)
  for (const engine of ['clickhouse', 'postgres']) {
    const migrations = path.join('src', 'engines', engine, 'migrations')
    cpSync(path.join(root, migrations), path.join(out, migrations), { recursive: true })
  }
  if (process.exitCode === 0) for (const each of chosen) run(each)
} finally {
  rmSync(out, { recursive: true, force: true })
}

/** One that fails does not keep the others from running. */
function run(benchmark) {
  if (chosen.length > 1) console.log(`\n== ${benchmark}`)
  const status = node(path.join(out, 'bench', `${benchmark}.js`), ...(name === 'all' ? [] : rest))
  if (status !== 0) process.exitCode = status
}
