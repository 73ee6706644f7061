// `npm run bench` lists the benchmarks, `npm run bench service` runs one: compiles bench/ with src/ first, because Node
// 20 does not run TypeScript by itself.
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { buildWebIfNeeded } from './build-web.mjs'
import { buildIfNeeded, installIfNeeded, root } from './prepare.mjs'

const out = path.join(root, `dist-bench-${process.pid}`)
const names = readdirSync(path.join(root, 'bench')).flatMap((file) => /^(.+)\.ts$/.exec(file)?.[1] ?? [])
const [name, ...rest] = process.argv.slice(2)
if (!names.includes(name)) {
  console.log(`npm run bench <name>, where name is one of: ${names.join(', ')}`)
  process.exit(name ? 2 : 0)
}
installIfNeeded()
buildIfNeeded()
buildWebIfNeeded()
const node = (...args) => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1
const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
const program = path.join('bench', `${name}.ts`)

try {
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
  ]
  const imports = ['--allowImportingTsExtensions', '--rewriteRelativeImportExtensions']
  process.exitCode = node(compiler, program, ...options, ...language, ...imports)
  for (const engine of ['clickhouse', 'postgres']) {
    const migrations = path.join('src', 'engines', engine, 'migrations')
    cpSync(path.join(root, migrations), path.join(out, migrations), { recursive: true })
  }
  if (process.exitCode === 0) process.exitCode = node(path.join(out, 'bench', `${name}.js`), ...rest)
} finally {
  rmSync(out, { recursive: true, force: true })
}
