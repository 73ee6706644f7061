import fc from 'fast-check'

/** All random tests of a run start from one seed, which `test/support/seed.ts` chose and said. A property that fails names it again. */
const SEED = Number(process.env.FC_SEED)

fc.configureGlobal({ seed: SEED })

/**
 * Numbers from 0 to below 1 for a test that draws without fast-check, the same ones for the same seed and name, which it
 * says.
 */
export function drawn(name: string): () => number {
  console.log(`${name}: drawn from FC_SEED=${SEED}`)
  let state = [...name].reduce((sum, letter) => Math.imul(sum ^ letter.charCodeAt(0), 0x01000193), SEED | 0)
  // mulberry32
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
