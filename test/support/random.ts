import fc from 'fast-check'

/** In CI the same commit gets the same verdict: random tests start from one seed. Elsewhere each run looks for something new. */
if (process.env.CI) fc.configureGlobal({ seed: 20_261_115 })
