/** A slow and obvious correlation of events, on top of the slow funnels. */
import { type ReferenceFunnel, type ReferenceFunnelEvent, referenceTries } from './reference-funnels.ts'

interface ReferenceCorrelation {
  readonly event: string
  readonly success: number
  readonly failure: number
  readonly oddsRatio: number
}

export function referenceCorrelation(
  events: readonly ReferenceFunnelEvent[],
  funnel: ReferenceFunnel,
): { correlations: ReferenceCorrelation[]; skewed: boolean } {
  const actors = [...referenceTries(events, funnel)].map(([actor, tries]) => {
    const all = tries.map(({ times }) => times)
    const level = Math.max(...all.map((times) => times.length))
    const best = all.filter((times) => times.length === level).toSorted((a, b) => (a[0] as number) - (b[0] as number))
    const times = best[0] as readonly number[]
    const first = times[0] as number
    const converted = level === funnel.steps.length
    return { actor, converted, first, end: converted ? (times.at(-1) as number) : first + funnel.windowMs }
  })
  const won = actors.filter(({ converted }) => converted)
  const lost = actors.filter(({ converted }) => !converted)
  if (won.length === 0 || lost.length === 0) return { correlations: [], skewed: true }
  const steps = new Set(funnel.steps.map(({ event }) => event))
  const names = [...new Set(events.map(({ event }) => event))].filter((name) => !steps.has(name))
  const having = (side: typeof actors, name: string): number =>
    side.filter(({ actor, first, end }) =>
      events.some(
        (each) =>
          each.actor === actor &&
          each.event === name &&
          each.at >= funnel.from &&
          each.at <= funnel.to &&
          each.at > first &&
          each.at < end,
      ),
    ).length
  const correlations = names
    .map((event) => ({ event, success: having(won, event), failure: having(lost, event) }))
    .filter(({ success, failure }) => success + failure >= Math.min(25, 0.02 * actors.length) && success + failure > 0)
    .map((each) => ({
      ...each,
      oddsRatio:
        ((each.success + 1) * (lost.length - each.failure + 1)) /
        ((won.length - each.success + 1) * (each.failure + 1)),
    }))
  const skewed = won.length / lost.length > 10 || lost.length / won.length > 10
  return { correlations, skewed }
}
