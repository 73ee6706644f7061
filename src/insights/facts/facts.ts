/** What must be known before a question can be planned. Planning and writing SQL read nothing else. */
import type { ChannelRule } from '../../contract/resources/channel-rule.ts'
import type { Instant } from '../../lib/zone.ts'
import type { Definitions } from '../definitions/definitions.ts'
import type { PropertyTypeOf, SystemRows } from '../hogql/view.ts'
import type { WeekStart } from '../plan/interval.ts'

export interface InsightProject {
  readonly id: number
  readonly timezone: string
  readonly week_start_day: WeekStart
  /** As stored: the same forms as a query's `properties`. */
  readonly test_account_filters: unknown
  /** Name channels of sessions, before the built-in rules. */
  readonly channel_rules?: readonly ChannelRule[]
}

/** Of the project, whatever is asked about it. */
export interface ProjectFacts {
  readonly project: InsightProject
  readonly now: Instant
  /** False spares every question the join with merged persons. */
  readonly hasOverrides: boolean
  /** The project's actions and cohorts; none when absent. */
  readonly definitions?: Definitions | undefined
}

export interface Facts extends ProjectFacts {
  /** What properties were seen to be: known only when a question holds an expression. */
  readonly propertyType: PropertyTypeOf
  /** Of SQL: the types of groups by their names, and what stands in the tables about the project itself. */
  readonly groupTypes?: ReadonlyMap<string, number> | undefined
  readonly system?: SystemRows | undefined
  /** The project's first event, when a question goes back to it; absent when there is none. */
  readonly earliestEvent?: Instant | undefined
}
