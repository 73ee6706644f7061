import fc from 'fast-check'

/** All random tests of a run start from one seed, which `test/support/seed.ts` chose and said. */
fc.configureGlobal({ seed: Number(process.env.FC_SEED) })
