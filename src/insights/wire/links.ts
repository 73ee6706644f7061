import type { CorrelationLink } from '../kinds/correlation/wire.ts'
import type { StepLink } from '../kinds/funnels/wire.ts'
import type { RetentionLink } from '../kinds/retention/wire.ts'
import type { PointLink } from './point-links.ts'

/** Where the people behind numbers are listed: the legacy answers carry the addresses. */
export interface Links {
  readonly point: PointLink
  readonly step: StepLink
  readonly correlation: CorrelationLink
  readonly retention: RetentionLink
}
