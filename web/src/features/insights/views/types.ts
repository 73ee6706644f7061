import type { LifecycleSeries, TrendSeries } from '../../../api/contract.ts'
import type { Answered, DrawnKind } from '../answer.ts'
import type { Draft } from '../draft.ts'

/** What a view draws: the answer to a query of its kind, and the draft for how it is shown. */
export interface ViewProps<K extends DrawnKind> extends Answered<K> {
  draft: Draft
  height: number
  /** Without the table below: on a dashboard. */
  compact: boolean
}

/** What a series is called and coloured by, whichever kind of query it answers. */
export interface NamedSeries
  extends Pick<TrendSeries, 'label' | 'count' | 'data'>,
    Partial<Pick<TrendSeries, 'aggregated_value' | 'breakdown_value' | 'breakdown_name' | 'compare_label'>> {
  readonly action: Partial<NonNullable<TrendSeries['action']>> | null
  readonly filter?: {
    readonly interval?: string
    readonly breakdown?: unknown
    readonly breakdowns?: readonly { readonly property: string | number }[]
  }
}

/** What charts and tables over time need of a series besides. */
export interface ChartSeries extends NamedSeries, Partial<Pick<TrendSeries, 'days' | 'labels'>> {
  readonly status?: LifecycleSeries['status']
}
