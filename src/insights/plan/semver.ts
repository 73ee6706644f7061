/**
 * What the operators about versions ask. A value that is no version of three numbers satisfies none of them, not even
 * "is not"; what follows the numbers ("-beta.1", "+build") is not compared.
 */

import type { PropertyFilter, SemverOperator } from '../../contract/queries/index.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'

type Version = readonly [major: number, minor: number, patch: number]

/** One comparison of the stored version with another; all of them must hold. */
export interface VersionTest {
  readonly is: '=' | '!=' | '<' | '<=' | '>' | '>='
  readonly version: Version
}

/** What is a version at all, and where its numbers stand in it: patterns that ClickHouse and Postgres both read. */
export const VERSION = '^\\s*v?(?:0|[1-9]\\d*)\\.(?:0|[1-9]\\d*)\\.(?:0|[1-9]\\d*)(?:[-+]\\S*)?\\s*$'
export const VERSION_NUMBERS = '(\\d+\\.\\d+\\.\\d+)'

const ASKED = /^\s*[v^~]?(\d{1,15})(?:\.(\d{1,15}))?(?:\.(\d{1,15}))?(?:[-+]\S*)?\s*$/
const COMPARISONS = {
  semver_eq: '=',
  semver_neq: '!=',
  semver_gt: '>',
  semver_gte: '>=',
  semver_lt: '<',
  semver_lte: '<=',
} as const

export function versionTests(
  operator: SemverOperator,
  wanted: string,
  filter: Pick<PropertyFilter, 'key' | 'operator'>,
): VersionTest[] {
  if (operator === 'semver_wildcard' && /^\s*[*xX]\s*$/.test(wanted)) return []
  const plain = operator === 'semver_wildcard' ? wanted.replace(/(?:\.[*xX])+\s*$/, '') : wanted
  const { version, said } = parsed(plain, filter)
  if (operator === 'semver_tilde' || operator === 'semver_caret' || operator === 'semver_wildcard') {
    return [
      { is: '>=', version },
      { is: '<', version: endOf(operator, version, said) },
    ]
  }
  return [{ is: COMPARISONS[operator], version }]
}

/**
 * ~1.2.3 stays within 1.2; ^1.2.3 does not change the first number that is not 0; 1.2.* is everything that begins so.
 */
function endOf(
  operator: 'semver_tilde' | 'semver_caret' | 'semver_wildcard',
  [major, minor, patch]: Version,
  said: number,
): Version {
  const next = { major: [major + 1, 0, 0], minor: [major, minor + 1, 0], patch: [major, minor, patch + 1] } as const
  if (said === 1) return next.major
  switch (operator) {
    case 'semver_tilde':
      return next.minor
    case 'semver_wildcard':
      return said === 2 ? next.minor : next.patch
    case 'semver_caret':
      if (major > 0) return next.major
      return minor > 0 || said === 2 ? next.minor : next.patch
  }
}

function parsed(text: string, { operator, key }: Pick<PropertyFilter, 'key' | 'operator'>) {
  const match = ASKED.exec(text)
  if (match === null) {
    throw new InvalidQuery(
      `The operator ${operator} compares versions such as "1.2.3"; ${JSON.stringify(text)} (for "${key}") is none.`,
      ['properties'],
    )
  }
  const version: Version = [Number(match[1]), Number(match[2] ?? 0), Number(match[3] ?? 0)]
  return { version, said: match.slice(1, 4).filter((part) => part !== undefined).length }
}
