import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'

/**
 * Where random tests start. On a developer's machine each run looks for something new; in CI the seed is made of what was committed, so
 * that the same contents get the same verdict while every change is looked at from another side. `FC_SEED=... npm test` repeats a run.
 */
export function setup() {
  process.env.FC_SEED ??= String(process.env.CI ? seedOfContents() : randomInt(2 ** 31))
  console.log(`random tests start from FC_SEED=${process.env.FC_SEED}`)
}

function seedOfContents(): number {
  try {
    const tree = execFileSync('git', ['rev-parse', 'HEAD^{tree}'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return Number.parseInt(tree.slice(0, 7), 16)
  } catch {
    // Not a clone: an archive of the sources, say.
    return 20_261_115
  }
}
