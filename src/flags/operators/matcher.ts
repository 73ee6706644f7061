/**
 * A filter's operator and value as a test of a property. What cannot be read (on either side) does not match, and never
 * throws: the flag has other conditions. `wrongInFilter` says what is wrong, for whoever saves it.
 */
import type { FlagFilter, FlagOperator } from '../../contract/resources/feature-flags.ts'
import type { Json } from '../../lib/json.ts'
import { compilePattern, wrongInPattern } from '../patterns/match.ts'
import type { Matcher } from '../rules/definition.ts'
import { instantOf, momentOf, sameMoment } from './dates.ts'
import { asciiLowerCase, isTruthValue, numberOf, textOf, truthOf } from './values.ts'
import { versionOf, versionTest } from './versions.ts'

type Asked = Pick<FlagFilter, 'operator' | 'value'>

const NEVER: Matcher = () => false

export function compileMatcher({ operator, value }: Asked, zone: string): Matcher {
  const asked = operator ?? 'exact'
  if (asked === 'is_set') return (given) => given !== undefined
  if (asked === 'is_not_set') return (given) => given === undefined
  if (value === undefined) return NEVER
  const opposite = OPPOSITES[asked]
  if (opposite === undefined) return present(asked, value, zone)
  const matches = present(opposite, value, zone)
  if (matches === NEVER) return NEVER
  return asked === 'not_regex'
    ? patternTest(value, false)
    : (given, now, left) => given === undefined || !matches(given, now, left)
}

const OPPOSITES: Partial<Record<FlagOperator, FlagOperator>> = {
  is_not: 'exact',
  not_icontains: 'icontains',
  not_icontains_multi: 'icontains_multi',
  not_starts_with: 'starts_with',
  not_ends_with: 'ends_with',
  not_regex: 'regex',
  not_between: 'between',
}

/** Tests of a value that is there. */
function present(operator: FlagOperator, value: Json, zone: string): Matcher {
  switch (operator) {
    case 'exact':
      return exactly(value)
    case 'icontains':
    case 'icontains_multi':
      return textTest(value, (text, part) => text.includes(part))
    case 'starts_with':
      return textTest(value, (text, part) => text.startsWith(part))
    case 'ends_with':
      return textTest(value, (text, part) => text.endsWith(part))
    case 'regex':
      return patternTest(value, true)
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return numberTest(operator, value)
    case 'between':
      return betweenTest(value)
    case 'is_date_exact':
    case 'is_date_before':
    case 'is_date_after':
      return dateTest(operator, value, zone)
  }
  if (!operator.startsWith('semver_')) return NEVER
  const test = versionTest(operator, textOf(value))
  if (test === undefined) return NEVER
  return (given) => {
    const version = given === undefined ? undefined : versionOf(textOf(given))
    return version !== undefined && test(version)
  }
}

function exactly(value: Json): Matcher {
  if (isTruthValue(value)) {
    const wanted = truthOf(value)
    return (given) => given !== undefined && truthOf(given) === wanted
  }
  const texts = new Set((Array.isArray(value) ? value : [value]).map((each) => textOf(each).toLowerCase()))
  return (given) => given !== undefined && texts.has(textOf(given).toLowerCase())
}

function textTest(value: Json, holds: (text: string, part: string) => boolean): Matcher {
  const parts = (Array.isArray(value) ? value : [value]).map((each) => asciiLowerCase(textOf(each)))
  return (given) => {
    if (given === undefined) return false
    const text = asciiLowerCase(textOf(given))
    return parts.some((part) => holds(text, part))
  }
}

/** A text that takes too many steps to search neither matches nor does not. */
function patternTest(value: Json, wanted: boolean): Matcher {
  const pattern = textOf(value)
  if (wrongInPattern(pattern) !== null) return NEVER
  const isIn = compilePattern(pattern)
  return (given, _now, left) => {
    if (given === undefined) return !wanted
    try {
      return isIn(textOf(given), left) === wanted
    } catch {
      return false
    }
  }
}

function numberTest(operator: 'gt' | 'gte' | 'lt' | 'lte', value: Json): Matcher {
  const wanted = numberOf(value)
  if (wanted === undefined) return NEVER
  const holds = {
    gt: (number: number) => number > wanted,
    gte: (number: number) => number >= wanted,
    lt: (number: number) => number < wanted,
    lte: (number: number) => number <= wanted,
  }[operator]
  return (given) => {
    const number = numberOf(given)
    return number !== undefined && holds(number)
  }
}

function betweenTest(value: Json): Matcher {
  const [low, high] = Array.isArray(value) && value.length === 2 ? value.map(numberOf) : []
  if (low === undefined || high === undefined || low > high) return NEVER
  return (given) => {
    const number = numberOf(given)
    return number !== undefined && number >= low && number <= high
  }
}

function dateTest(operator: 'is_date_exact' | 'is_date_before' | 'is_date_after', value: Json, zone: string): Matcher {
  const moment = momentOf(value, zone)
  const same = sameMoment(value, zone)
  if (moment === undefined || same === undefined) return NEVER
  const holds = {
    is_date_exact: same,
    is_date_before: (instant: number, now: number) => instant < moment(now),
    is_date_after: (instant: number, now: number) => instant > moment(now),
  }[operator]
  return (given, now) => {
    const instant = instantOf(given, zone)
    return instant !== undefined && holds(instant, now)
  }
}

/** Why a filter could never be decided, in words; null when it can. */
export function wrongInFilter({ operator, value }: Asked): string | null {
  const asked = operator ?? 'exact'
  if (asked === 'is_set' || asked === 'is_not_set') return null
  if (value === undefined) return `The operator ${asked} needs a value.`
  const text = textOf(value)
  if (asked === 'regex' || asked === 'not_regex') {
    const wrong = wrongInPattern(text)
    return wrong === null ? null : `Not a regular expression: ${wrong}`
  }
  if (asked === 'between' || asked === 'not_between')
    return betweenTest(value) === NEVER ? 'Send two numbers, the smaller one first: [1, 10].' : null
  if (asked.startsWith('is_date_') && momentOf(value, 'UTC') === undefined)
    return `${JSON.stringify(text.slice(0, 100))} is not a date: send 2024-05-31, 2024-05-31T12:00:00Z or -7d (h, d, w, m, y).`
  if (asked.startsWith('semver_') && versionTest(asked, text) === undefined)
    return `${JSON.stringify(text.slice(0, 100))} is not a version such as 1.2.3${asked === 'semver_wildcard' ? ', or a range such as 1.2.*' : ''}.`
  if (/^[gl]te?$/.test(asked) && numberOf(value) === undefined)
    return `${JSON.stringify(text.slice(0, 100))} is not a number.`
  if (asked.endsWith('_multi') && !Array.isArray(value)) return `The operator ${asked} needs a list of texts.`
  return null
}
