// What every change has to pass before its tests count: `npm run lint` runs these, and so does `npm test`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { root } from './prepare.mjs'

const CHECKS = [
  { name: 'style', command: ['node_modules/.bin/biome', 'check', '--error-on-warnings'] },
  { name: 'types of src, test and bench', command: ['node_modules/.bin/tsc', '--noEmit'] },
  { name: 'types of web', command: ['node_modules/.bin/tsc', '--noEmit', '-p', 'web'] },
  { name: 'types of scripts', command: ['node_modules/.bin/tsc', '--noEmit', '-p', 'scripts'] },
  { name: 'directions of imports', command: [process.execPath, 'scripts/check-imports.mjs'] },
]

/** Runs them side by side. Says what a check found, and resolves with whether all of them passed. */
export async function runChecks() {
  const passed = await Promise.all(CHECKS.map(runCheck))
  return passed.every(Boolean)
}

async function runCheck({ name, command: [file, ...args] }) {
  const child = spawn(file, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => output.push(part))
  const [code] = await once(child, 'close')
  if (code === 0) return true
  process.stderr.write(Buffer.concat(output))
  console.error(`Failed: ${name} (${[file, ...args].join(' ')} ended with status ${code})`)
  return false
}
