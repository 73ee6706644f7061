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

/** The times of the steps that were done. */
export type ReferenceTry = readonly number[]

const holds = (step: ReferenceStep, event: ReferenceFunnelEvent): boolean =>
  (step.event === null || step.event === event.event) && groupHolds(step.properties, event.properties, {})

const contains = (outer: ReferenceStep, inner: ReferenceStep): boolean =>
  (outer.event === null || outer.event === inner.event) &&
  (outer.properties.values.length === 0 || JSON.stringify(outer.properties) === JSON.stringify(inner.properties))

/** For each actor, the tries that count. */
export function referenceTries(
  events: readonly ReferenceFunnelEvent[],
  funnel: ReferenceFunnel,
): Map<string, ReferenceTry[]> {
  const inRange = events.filter(({ at }) => at >= funnel.from && at <= funnel.to)
  const all = new Map<string, ReferenceTry[]>()
  for (const actor of new Set(inRange.map((each) => each.actor))) {
    const mine = inRange.filter((each) => each.actor === actor).toSorted((a, b) => a.at - b.at)
    const { held } = funnel
    const values = held === undefined ? [undefined] : [...new Set(mine.map((each) => text(each, held)))]
    const tries = values.flatMap((value) => {
      if (held === undefined) return triesOf(mine, funnel)
      return value === undefined
        ? []
        : triesOf(
            mine.filter((each) => text(each, held) === value),
            funnel,
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

function triesOf(mine: readonly ReferenceFunnelEvent[], funnel: ReferenceFunnel): ReferenceTry[] {
  const tries =
    funnel.order === 'ordered'
      ? ordered(mine, funnel)
      : funnel.order === 'strict'
        ? strict(mine, funnel)
        : unordered(mine, funnel)
  return tries.filter((times) => !isExcluded(times, mine, funnel))
}

function ordered(mine: readonly ReferenceFunnelEvent[], funnel: ReferenceFunnel): ReferenceTry[] {
  const [first] = funnel.steps
  if (first === undefined) return []
  return mine
    .filter((each) => holds(first, each))
    .map((entry) => {
      const times = [entry.at]
      let before = entry
      for (const [index, step] of funnel.steps.entries()) {
        if (index === 0) continue
        const strictly = contains(step, funnel.steps[index - 1] as ReferenceStep)
        const next = mine.find(
          (each) =>
            holds(step, each) &&
            each !== before &&
            (strictly ? each.at > before.at : each.at >= before.at) &&
            each.at <= entry.at + funnel.windowMs,
        )
        if (next === undefined) break
        times.push(next.at)
        before = next
      }
      return times
    })
}

function strict(mine: readonly ReferenceFunnelEvent[], funnel: ReferenceFunnel): ReferenceTry[] {
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

function unordered(mine: readonly ReferenceFunnelEvent[], funnel: ReferenceFunnel): ReferenceTry[] {
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

function isExcluded(times: ReferenceTry, mine: readonly ReferenceFunnelEvent[], funnel: ReferenceFunnel): boolean {
  return funnel.exclusions.some((exclusion) => {
    const start = times[exclusion.from]
    if (start === undefined) return false
    const end = times[exclusion.to] ?? start + funnel.windowMs
    return mine.some((each) => holds(exclusion, each) && each.at > start && each.at < end)
  })
}

export interface ReferenceSteps {
  readonly counts: number[]
  readonly averages: (number | null)[]
  readonly medians: (number | null)[]
}

export function referenceSteps(events: readonly ReferenceFunnelEvent[], funnel: ReferenceFunnel): ReferenceSteps {
  const actors = [...referenceTries(events, funnel).values()].map((tries) => {
    const level = Math.max(...tries.map((times) => times.length))
    const best = tries.filter((times) => times.length === level)
    return { level, seconds: (step: number) => mean(best.map((times) => gap(times, step))) }
  })
  const times = (step: number): number[] =>
    actors.filter(({ level }) => level > step).map(({ seconds }) => seconds(step))
  const each = funnel.steps.map((_, step) => step)
  return {
    counts: each.map((step) => actors.filter(({ level }) => level > step).length),
    averages: each.map((step) => (step === 0 || times(step).length === 0 ? null : mean(times(step)))),
    medians: each.map((step) => (step === 0 || times(step).length === 0 ? null : median(times(step)))),
  }
}

const gap = (times: ReferenceTry, step: number): number =>
  ((times[step] as number) - (times[step - 1] as number)) / 1000

const mean = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0) / numbers.length

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2
}
