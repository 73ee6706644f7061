import { execFileSync } from 'node:child_process'

/** Engine children and pipeline threads run from dist/, so the tests build it first. */
export function setup() {
  execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' })
}
