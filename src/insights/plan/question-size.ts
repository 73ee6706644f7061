/** How much one question may contain, so that one client cannot keep the engine busy alone. */
import { InvalidQuery } from '../../lib/invalid-input.ts'

const MOST = {
  series: 300,
  filters: 500,
  values: 20_000,
  expressions: 100,
  breakdowns: 100,
  formulas: 100,
} as const
type Counted = keyof typeof MOST

const WORDS: Readonly<Record<Counted, readonly [what: string, instead: string]>> = {
  series: ['series or steps', 'ask several questions'],
  filters: ['property filters', 'use one filter with several values, or a cohort'],
  values: ['values in its property filters', 'put them into a static cohort and filter by that'],
  expressions: ['expressions', 'ask several questions, or use SQL'],
  breakdowns: ['values to break down by', 'ask for fewer at once'],
  formulas: ['formulas', 'ask several questions'],
}

const NODES = /^(Events|Actions|Group|DataWarehouse)Node$/

/** Of a whole question, or of any part of it: filters and series may stand anywhere in it. */
export function refuseOversized(asked: unknown): void {
  const counts: Record<Counted, number> = {
    series: 0,
    filters: 0,
    values: 0,
    expressions: 0,
    breakdowns: 0,
    formulas: 0,
  }
  const waiting: unknown[] = [asked]
  for (let node = waiting.pop(); node !== undefined || waiting.length > 0; node = waiting.pop()) {
    if (typeof node !== 'object' || node === null) continue
    count(node as Readonly<Record<string, unknown>>, counts)
    for (const value of Object.values(node)) if (typeof value === 'object' && value !== null) waiting.push(value)
  }
  for (const name of Object.keys(MOST) as Counted[]) if (counts[name] > MOST[name]) throw tooMany(name, counts[name])
}

function count(node: Readonly<Record<string, unknown>>, counts: Record<Counted, number>): void {
  const { kind, type, values, operator, breakdown, breakdowns, math, formulas, formulaNodes } = node
  if (typeof kind === 'string' && NODES.test(kind)) counts.series++
  if (kind === 'property') {
    counts.filters++
    counts.values += Array.isArray(values) ? values.length : 0
    if (type === 'hogql') counts.expressions++
  } else if (operator === 'hogql' || math === 'hogql') counts.expressions++
  if (Array.isArray(breakdown)) counts.breakdowns += breakdown.length
  if (Array.isArray(breakdowns)) counts.breakdowns += breakdowns.length
  if (Array.isArray(formulas)) counts.formulas += formulas.length
  if (Array.isArray(formulaNodes)) counts.formulas += formulaNodes.length
}

function tooMany(name: Counted, given: number): InvalidQuery {
  const [what, instead] = WORDS[name]
  return new InvalidQuery(
    `The question holds ${inWords(given)} ${what}; the limit is ${inWords(MOST[name])}: ${instead}.`,
    [],
    'query_too_heavy',
  )
}

/** Points of one answer: what a chart shows, and what the service has to write. */
const MOST_POINTS = 50_000

const LONGER: Readonly<Record<string, string>> = {
  second: 'minute',
  minute: 'hour',
  hour: 'day',
  day: 'week',
  week: 'month',
  month: 'year',
}

export function refuseTooManyPoints(asked: {
  readonly intervals: number
  readonly interval: string
  /** Lines of the chart: series, periods and values of the breakdown. */
  readonly lines: number
  readonly isBrokenDown: boolean
}): void {
  const { intervals, interval, lines, isBrokenDown } = asked
  const points = intervals * lines
  if (points <= MOST_POINTS) return
  const longer = LONGER[interval]
  const ways = [
    ...(longer === undefined ? [] : [`by ${longer}`]),
    'for a shorter range',
    isBrokenDown ? 'or for fewer values of the breakdown' : 'or for fewer series',
  ]
  throw new InvalidQuery(
    `${inWords(intervals)} ${interval}s of ${inWords(lines)} series are ${inWords(points)} points; the limit is ${inWords(MOST_POINTS)}: ask ${ways.join(', ')}.`,
    ['interval'],
    'query_too_heavy',
  )
}

const inWords = (count: number): string => count.toLocaleString('en-US')
