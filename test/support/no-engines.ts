import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'

/** A fast test that starts an engine, a service or a browser fails: which file is fast is decided by its imports (which-tests.ts). */
const ENGINES = /initdb|postgres -D|clickhouse\/embedded\/child|nats-server|chromium|cli\.js serve/

const NAMES = ['spawn', 'fork', 'execFile', 'execFileSync', 'spawnSync'] as const

/** Fast files share a process, and this one runs before each of them. */
const GUARDED = Symbol.for('footfall.guarded')

for (const name of NAMES) {
  const original: (...args: never[]) => unknown = childProcess[name]
  if (GUARDED in original) continue
  const guard = (...args: never[]) => {
    const command = args
      .flat()
      .filter((part) => typeof part === 'string')
      .join(' ')
    if (ENGINES.test(command)) throw new Error(`This test is among the fast ones and must not start ${command}`)
    return original(...args)
  }
  Object.assign(childProcess, { [name]: Object.assign(guard, { [GUARDED]: true }) })
}
syncBuiltinESMExports()
