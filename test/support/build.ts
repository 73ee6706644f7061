import { execFileSync } from 'node:child_process'

/** Engine children and pipeline threads run from dist/, and browsers are served web/dist/: the tests build both first, when something changed. */
export function setup() {
  for (const script of ['scripts/build.mjs', 'scripts/build-web.mjs'])
    execFileSync(process.execPath, [script], { stdio: 'inherit' })
}
