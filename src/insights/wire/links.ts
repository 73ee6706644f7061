import type { CorrelationLink } from './correlation.ts'
import type { StepLink } from './funnels.ts'
import type { RetentionLink } from './others.ts'
import type { PointLink } from './point-links.ts'

/** Where the people behind numbers are listed: the legacy answers carry the addresses. */
export interface Links {
  readonly point: PointLink
  readonly step: StepLink
  readonly correlation: CorrelationLink
  readonly retention: RetentionLink
}
