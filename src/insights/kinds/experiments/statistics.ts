/**
 * What the numbers of two variants say. Bayesian: draws from the posteriors, by a seed, so that the same numbers get the
 * same answer. Frequentist: a two-sided test of the difference. Both speak of the relative difference to the baseline.
 */
export interface Sample {
  /** People. */
  readonly count: number
  /** Of what is measured: conversions, or values. */
  readonly sum: number
  readonly sumOfSquares: number
}

export type MetricType = 'funnel' | 'mean'

export interface Comparison {
  readonly chanceToWin: number
  /** 95%, of the relative difference. */
  readonly credibleInterval: readonly [low: number, high: number] | null
  readonly pValue: number | null
  readonly confidenceInterval: readonly [low: number, high: number] | null
}

const DRAWS = 20_000
const SEED = 20_240_501
const Z = 1.959_963_985

export function compare(type: MetricType, baseline: Sample, variant: Sample): Comparison {
  const random = seeded(SEED)
  const drawn = (sample: Sample) => (type === 'funnel' ? betaDraw(sample, random) : meanDraw(sample, random))
  const uplifts: number[] = []
  let wins = 0
  for (let draw = 0; draw < DRAWS; draw++) {
    const [one, other] = [drawn(baseline), drawn(variant)]
    if (other > one) wins++
    if (one !== 0) uplifts.push((other - one) / Math.abs(one))
  }
  uplifts.sort((a, b) => a - b)
  const at = (share: number) => uplifts[Math.min(uplifts.length - 1, Math.floor(share * uplifts.length))] ?? 0
  const known = baseline.count > 0 && variant.count > 0
  return {
    chanceToWin: known ? wins / DRAWS : 0.5,
    credibleInterval: known && uplifts.length > 0 ? [at(0.025), at(0.975)] : null,
    ...difference(type, baseline, variant),
  }
}

/** The test of no difference, and the interval of the relative difference by the delta method. */
function difference(type: MetricType, baseline: Sample, variant: Sample) {
  const none = { pValue: null, confidenceInterval: null }
  if (baseline.count < 2 || variant.count < 2) return none
  const [one, other] = [meanOf(baseline), meanOf(variant)]
  const [errorOne, errorOther] = [
    varianceOf(type, baseline) / baseline.count,
    varianceOf(type, variant) / variant.count,
  ]
  const pooled = (baseline.sum + variant.sum) / (baseline.count + variant.count)
  const testError =
    type === 'funnel' ? pooled * (1 - pooled) * (1 / baseline.count + 1 / variant.count) : errorOne + errorOther
  if (testError <= 0) return none
  const pValue = 2 * (1 - normalCdf(Math.abs(other - one) / Math.sqrt(testError)))
  if (one === 0) return { pValue, confidenceInterval: null }
  const spread = Math.sqrt(errorOther / one ** 2 + (other ** 2 * errorOne) / one ** 4)
  const relative = other / one - 1
  return { pValue, confidenceInterval: [relative - Z * spread, relative + Z * spread] as const }
}

export const meanOf = ({ sum, count }: Sample): number => (count === 0 ? 0 : sum / count)

function varianceOf(type: MetricType, { count, sum, sumOfSquares }: Sample): number {
  const mean = count === 0 ? 0 : sum / count
  if (type === 'funnel') return mean * (1 - mean)
  return count < 2 ? 0 : Math.max(0, (sumOfSquares - count * mean ** 2) / (count - 1))
}

/** From Beta(1 + conversions, 1 + others). */
function betaDraw({ count, sum }: Sample, random: () => number): number {
  const a = gammaDraw(1 + sum, random)
  const b = gammaDraw(1 + Math.max(0, count - sum), random)
  return a / (a + b)
}

function meanDraw(sample: Sample, random: () => number): number {
  const error = sample.count < 2 ? 0 : Math.sqrt(varianceOf('mean', sample) / sample.count)
  return meanOf(sample) + error * normalDraw(random)
}

/** Marsaglia and Tsang; `shape` is at least 1 here. */
function gammaDraw(shape: number, random: () => number): number {
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (;;) {
    const x = normalDraw(random)
    const v = (1 + c * x) ** 3
    if (v <= 0) continue
    if (Math.log(1 - random()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v
  }
}

const normalDraw = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** By the complementary error function (Numerical Recipes' rational form, good to 1e-7). */
export function normalCdf(z: number): number {
  const x = Math.abs(z) / Math.SQRT2
  const t = 1 / (1 + 0.5 * x)
  const coefficients = [
    -1.265_512_23, 1.000_023_68, 0.374_091_96, 0.096_784_18, -0.186_288_06, 0.278_868_07, -1.135_203_98, 1.488_515_87,
    -0.822_152_23, 0.170_872_77,
  ]
  const polynomial = coefficients.reduceRight((sum, each) => each + t * sum, 0)
  const tail = 0.5 * t * Math.exp(-x * x + polynomial)
  return z >= 0 ? 1 - tail : tail
}

/** How likely counts are that differ so much from their shares by chance alone: a chi-squared test. Null: not known. */
export function sampleRatioP(counts: readonly number[], shares: readonly number[]): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  const whole = shares.reduce((sum, share) => sum + share, 0)
  if (total === 0 || whole === 0 || counts.length < 2 || shares.some((share) => share <= 0)) return null
  const chi = counts.reduce((sum, count, at) => {
    const expected = (total * (shares[at] ?? 0)) / whole
    return sum + (count - expected) ** 2 / expected
  }, 0)
  return upperGamma((counts.length - 1) / 2, chi / 2)
}

/** The regularised upper incomplete gamma function. */
function upperGamma(a: number, x: number): number {
  if (x <= 0) return 1
  const scale = Math.exp(-x + a * Math.log(x) - logGamma(a))
  if (x < a + 1) {
    let term = 1 / a
    let sum = term
    for (let n = 1; n < 500 && term > sum * 1e-15; n++) {
      term *= x / (a + n)
      sum += term
    }
    return 1 - sum * scale
  }
  let b = x + 1 - a
  let c = 1e300
  let d = 1 / b
  let fraction = d
  for (let n = 1; n < 500; n++) {
    const an = -n * (n - a)
    b += 2
    d = 1 / (an * d + b || 1e-300)
    c = b + an / c || 1e-300
    fraction *= d * c
    if (Math.abs(d * c - 1) < 1e-15) break
  }
  return fraction * scale
}

function logGamma(x: number): number {
  const coefficients = [76.180_091_73, -86.505_320_33, 24.014_098_22, -1.231_739_516, 0.001_208_58, -0.000_005_364]
  const sum = coefficients.reduce((total, each, at) => total + each / (x + 1 + at), 1.000_000_000_19)
  const t = x + 5.5
  return (x + 0.5) * Math.log(t) - t + Math.log((2.506_628_274_65 * sum) / x)
}
