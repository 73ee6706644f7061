// Compiles bench/ with src/ and runs one benchmark: `node bench/run.mjs log`. Node 20 does not run TypeScript by itself.
import { spawnSync } from 'node:child_process'
import { cpSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const out = path.join(root, `dist-bench-${process.pid}`)
const [name = 'log', ...rest] = process.argv.slice(2)
const node = (...args) => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1
const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
const program = path.join('bench', `${name}.ts`)

try {
  const options = ['--ignoreConfig', '--noEmit', 'false', '--rootDir', '.', '--outDir', out]
  const language = [
    '--target',
    'ES2023',
    '--module',
    'NodeNext',
    '--types',
    'node',
    '--skipLibCheck',
    '--lib',
    'ES2023,ES2024.String',
  ]
  const imports = ['--allowImportingTsExtensions', '--rewriteRelativeImportExtensions']
  process.exitCode = node(compiler, program, ...options, ...language, ...imports)
  // Migrations are read from beside the code.
  const isSql = (file) => statSync(file).isDirectory() || file.endsWith('.sql')
  cpSync(path.join(root, 'src', 'engines'), path.join(out, 'src', 'engines'), { recursive: true, filter: isSql })
  if (process.exitCode === 0) process.exitCode = node(path.join(out, 'bench', `${name}.js`), ...rest)
} finally {
  rmSync(out, { recursive: true, force: true })
}
