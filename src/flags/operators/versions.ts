/** Versions: 1.2.3, v1.2, 3.08, 1.2.3-alpha. Missing numbers are 0; more than three are no version. */
interface Version {
  readonly numbers: readonly [number, number, number]
  /** Empty for a release, which is later than all that lead to it. */
  readonly pre: readonly string[]
}

const VERSION = /^[vV]?(\d{1,15})(?:\.(\d{1,15}))?(?:\.(\d{1,15}))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]*)?$/
const WILDCARD = /^[vV]?(?:(\d{1,15})\.)?(?:(\d{1,15})\.)?[*xX]$/

export function versionOf(text: string): Version | undefined {
  const found = VERSION.exec(text.trim())
  if (found === null) return undefined
  const [major, minor, patch] = [found[1], found[2], found[3]].map((digits) => Number(digits ?? 0)) as [
    number,
    number,
    number,
  ]
  return { numbers: [major, minor, patch], pre: found[4]?.split('.') ?? [] }
}

export function compareVersions(a: Version, b: Version): number {
  for (let at = 0; at < 3; at++) {
    const difference = (a.numbers[at] as number) - (b.numbers[at] as number)
    if (difference !== 0) return difference
  }
  if (a.pre.length === 0 || b.pre.length === 0) return b.pre.length - a.pre.length
  for (let at = 0; at < Math.max(a.pre.length, b.pre.length); at++) {
    const difference = comparePart(a.pre[at], b.pre[at])
    if (difference !== 0) return difference
  }
  return 0
}

/** Numbers come before words, and nothing before both. */
function comparePart(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined)
  const [aIsNumber, bIsNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (aIsNumber && bIsNumber) return Number(a) - Number(b)
  if (aIsNumber !== bIsNumber) return aIsNumber ? -1 : 1
  return a < b ? -1 : Number(a > b)
}

export type VersionTest = (version: Version) => boolean

const COMPARISONS: Readonly<Record<string, (difference: number) => boolean>> = {
  semver_eq: (difference) => difference === 0,
  semver_neq: (difference) => difference !== 0,
  semver_gt: (difference) => difference > 0,
  semver_gte: (difference) => difference >= 0,
  semver_lt: (difference) => difference < 0,
  semver_lte: (difference) => difference <= 0,
}

/** Undefined when the text is no version, or no range of them. */
export function versionTest(operator: string, wanted: string): VersionTest | undefined {
  if (operator === 'semver_wildcard') return wildcardTest(wanted)
  const version = versionOf(wanted)
  if (version === undefined) return undefined
  const [major, minor, patch] = version.numbers
  if (operator === 'semver_tilde') return within(version, [major, minor + 1, 0])
  if (operator === 'semver_caret')
    return within(version, major > 0 ? [major + 1, 0, 0] : minor > 0 ? [0, minor + 1, 0] : [0, 0, patch + 1])
  const holds = COMPARISONS[operator]
  return holds && ((given) => holds(compareVersions(given, version)))
}

function wildcardTest(wanted: string): VersionTest | undefined {
  const found = WILDCARD.exec(wanted.trim())
  if (found === null) return undefined
  if (found[1] === undefined) return () => true
  const major = Number(found[1])
  if (found[2] === undefined) return within({ numbers: [major, 0, 0], pre: [] }, [major + 1, 0, 0])
  const minor = Number(found[2])
  return within({ numbers: [major, minor, 0], pre: [] }, [major, minor + 1, 0])
}

function within(from: Version, end: Version['numbers']): VersionTest {
  const to: Version = { numbers: end, pre: [] }
  return (given) => compareVersions(given, from) >= 0 && compareVersions(given, to) < 0
}
