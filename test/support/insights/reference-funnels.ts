/** A slow and obvious funnel calculator over a list of events: what the engine's answers are held against. */
import type { JsonObject } from '../../../src/lib/json.ts'
import { groupHolds, type ReferenceGroup } from './reference-filters.ts'

export interface ReferenceFunnelEvent {
  readonly event: string
  readonly actor: string
  /** ms since epoch. */
  readonly at: number
  readonly properties: JsonObject
}

export interface ReferenceStep {
  readonly event: string | null
  readonly properties: ReferenceGroup
  readonly optional?: boolean
  readonly math?: 'first_time_for_user' | 'first_time_for_user_with_filters' | undefined
}

export interface ReferenceFunnel {
  readonly order: 'ordered' | 'strict' | 'unordered'
  readonly steps: readonly ReferenceStep[]
  readonly exclusions: readonly (ReferenceStep & { readonly from: number; readonly to: number })[]
  readonly windowMs: number
  /** ms, both included. */
  readonly from: number
  readonly to: number
  readonly held?: string
}

interface ReferenceTry {
  /** The times of the required steps that were done. */
  readonly times: readonly number[]
  /** For each step of the funnel, whether it was done as an optional one. */
  readonly did: readonly boolean[]
}

const named = (step: ReferenceStep, event: ReferenceFunnelEvent): boolean =>
  step.event === null || step.event === event.event

/** Whether an event is of a step. Of one that is about first times, there is one such event an actor, be it before the range. */
function matcher(all: readonly ReferenceFunnelEvent[], funnel: ReferenceFunnel) {
  const satisfies = (step: ReferenceStep, event: ReferenceFunnelEvent): boolean =>
    named(step, event) && groupHolds(step.properties, event.properties, {})
  const isFirst = (step: ReferenceStep, event: ReferenceFunnelEvent): boolean => {
    const counted = step.math === 'first_time_for_user' ? named : satisfies
    const before = all.filter(
      (each) => each.actor === event.actor && each.at <= funnel.to && each.at < event.at && counted(step, each),
    )
    return before.length === 0
  }
  return (step: ReferenceStep, event: ReferenceFunnelEvent): boolean =>
    satisfies(step, event) && (step.math === undefined || isFirst(step, event))
}
type Holds = ReturnType<typeof matcher>

const required = ({ steps }: Pick<ReferenceFunnel, 'steps'>): ReferenceStep[] =>
  steps.filter(({ optional }) => !optional)

export const contains = (outer: ReferenceStep, inner: ReferenceStep): boolean =>
  (outer.event === null || outer.event === inner.event) &&
  (outer.properties.values.length === 0 || JSON.stringify(outer.properties) === JSON.stringify(inner.properties))

/** For each actor, the tries that count. */
export function referenceTries(
  events: readonly ReferenceFunnelEvent[],
  funnel: ReferenceFunnel,
): Map<string, ReferenceTry[]> {
  const inRange = events.filter(({ at }) => at >= funnel.from && at <= funnel.to)
  const holds = matcher(events, funnel)
  const all = new Map<string, ReferenceTry[]>()
  for (const actor of new Set(inRange.map((each) => each.actor))) {
    const mine = inRange.filter((each) => each.actor === actor).toSorted((a, b) => a.at - b.at)
    const { held } = funnel
    const values = held === undefined ? [undefined] : [...new Set(mine.map((each) => text(each, held)))]
    const tries = values.flatMap((value) => {
      if (held === undefined) return triesOf(mine, funnel, holds)
      return value === undefined
        ? []
        : triesOf(
            mine.filter((each) => text(each, held) === value),
            funnel,
            holds,
          )
    })
    if (tries.length > 0) all.set(actor, tries)
  }
  return all
}

const text = (event: ReferenceFunnelEvent, key: string): string | undefined => {
  const value = event.properties[key]
  return value === undefined || value === null ? undefined : String(value)
}

function triesOf(mine: readonly ReferenceFunnelEvent[], funnel: ReferenceFunnel, holds: Holds): ReferenceTry[] {
  if (funnel.order === 'ordered') {
    return ordered(mine, funnel, holds)
      .map((done) => ({ times: done.map(({ at }) => at), did: optionalDone(done, mine, funnel, holds) }))
      .filter(({ times }) => !isExcluded(times, mine, funnel, holds))
  }
  const tries = funnel.order === 'strict' ? strict(mine, funnel, holds) : unordered(mine, funnel, holds)
  return tries.filter((times) => !isExcluded(times, mine, funnel, holds)).map((times) => ({ times, did: [] }))
}

function ordered(
  mine: readonly ReferenceFunnelEvent[],
  funnel: ReferenceFunnel,
  holds: Holds,
): (readonly ReferenceFunnelEvent[])[] {
  const steps = required(funnel)
  const [first] = steps
  if (first === undefined) return []
  return mine
    .filter((each) => holds(first, each))
    .map((entry) => {
      const done = [entry]
      for (const [index, step] of steps.entries()) {
        if (index === 0) continue
        const before = done.at(-1) as ReferenceFunnelEvent
        const strictly = contains(step, steps[index - 1] as ReferenceStep)
        const next = mine.find(
          (each) =>
            holds(step, each) &&
            each !== before &&
            (strictly ? each.at > before.at : each.at >= before.at) &&
            each.at <= entry.at + funnel.windowMs,
        )
        if (next === undefined) break
        done.push(next)
      }
      return done
    })
}

/** An optional step is done by an event between the required ones around it, which is neither of them. */
function optionalDone(
  done: readonly ReferenceFunnelEvent[],
  mine: readonly ReferenceFunnelEvent[],
  funnel: ReferenceFunnel,
  holds: Holds,
): boolean[] {
  return funnel.steps.map((step, index) => {
    if (!step.optional) return false
    const after = required({ steps: funnel.steps.slice(0, index) }).length
    const [before, next] = [done[after - 1], done[after]]
    if (before === undefined) return false
    const end = next?.at ?? (done[0] as ReferenceFunnelEvent).at + funnel.windowMs
    return mine.some(
      (each) => holds(step, each) && each !== before && each !== next && each.at >= before.at && each.at <= end,
    )
  })
}

function strict(mine: readonly ReferenceFunnelEvent[], funnel: ReferenceFunnel, holds: Holds): number[][] {
  return mine.flatMap((entry, position) => {
    if (funnel.steps[0] === undefined || !holds(funnel.steps[0], entry)) return []
    const times = [entry.at]
    for (const [index, step] of funnel.steps.entries()) {
      if (index === 0) continue
      const next = mine[position + index]
      if (next === undefined || !holds(step, next) || next.at > entry.at + funnel.windowMs) break
      times.push(next.at)
    }
    return [times]
  })
}

function unordered(mine: readonly ReferenceFunnelEvent[], funnel: ReferenceFunnel, holds: Holds): number[][] {
  return mine.flatMap((entry) =>
    funnel.steps.flatMap((first, index) => {
      if (!holds(first, entry)) return []
      const others = funnel.steps.filter((_, other) => other !== index)
      const found = others.map((step) =>
        mine.find((each) => holds(step, each) && each.at > entry.at && each.at <= entry.at + funnel.windowMs),
      )
      return [[entry.at, ...found.filter((each) => each !== undefined).map(({ at }) => at)].toSorted((a, b) => a - b)]
    }),
  )
}

function isExcluded(
  times: readonly number[],
  mine: readonly ReferenceFunnelEvent[],
  funnel: ReferenceFunnel,
  holds: Holds,
): boolean {
  const timeOf = (step: number): number | undefined => times[required({ steps: funnel.steps.slice(0, step) }).length]
  return funnel.exclusions.some((exclusion) => {
    const start = timeOf(exclusion.from)
    if (start === undefined) return false
    const end = timeOf(exclusion.to) ?? start + funnel.windowMs
    return mine.some((each) => holds(exclusion, each) && each.at > start && each.at < end)
  })
}

interface ReferenceSteps {
  readonly counts: number[]
  readonly averages: (number | null)[]
  readonly medians: (number | null)[]
  /** From the first step. */
  readonly totalMedians: (number | null)[]
}

export function referenceSteps(events: readonly ReferenceFunnelEvent[], funnel: ReferenceFunnel): ReferenceSteps {
  const actors = [...referenceTries(events, funnel).values()].map((tries) => {
    const level = Math.max(...tries.map(({ times }) => times.length))
    const best = tries.filter(({ times }) => times.length === level)
    return {
      level,
      did: (step: number) => best.some((each) => each.did[step]),
      seconds: (place: number) => mean(best.map(({ times }) => gap(times, place))),
      total: (place: number) => mean(best.map(({ times }) => gap(times, place, 0))),
    }
  })
  const each = funnel.steps.map((step, index) => ({
    optional: step.optional,
    index,
    /** Among the required ones. */
    place: required({ steps: funnel.steps.slice(0, index) }).length,
  }))
  const timed = (of: (numbers: readonly number[]) => number, took: 'seconds' | 'total'): (number | null)[] =>
    each.map(({ optional, place }) => {
      const times = actors.filter(({ level }) => level > place).map((actor) => actor[took](place))
      return optional || place === 0 || times.length === 0 ? null : of(times)
    })
  return {
    counts: each.map(
      ({ optional, index, place }) => actors.filter(({ level, did }) => (optional ? did(index) : level > place)).length,
    ),
    averages: timed(mean, 'seconds'),
    medians: timed(median, 'seconds'),
    totalMedians: timed(median, 'total'),
  }
}

const gap = (times: readonly number[], step: number, from = step - 1): number =>
  ((times[step] as number) - (times[from] as number)) / 1000

const mean = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0) / numbers.length

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2
}
