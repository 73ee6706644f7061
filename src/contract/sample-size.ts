/** 1.96 and 0.84 of the textbooks: one false alarm in twenty, a real change noticed four times in five. */
const ALARM = 1.959_963_985
const NOTICE = 0.841_621_234

/** People in each variant to notice a relative change of a conversion rate. The page says it before the service does. */
export function sampleSizeFor(conversionRate: number, minimumEffect: number): number | null {
  if (!(conversionRate > 0 && conversionRate < 1 && minimumEffect > 0)) return null
  const change = conversionRate * minimumEffect
  return Math.ceil((2 * (ALARM + NOTICE) ** 2 * conversionRate * (1 - conversionRate)) / change ** 2)
}
