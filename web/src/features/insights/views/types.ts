import type { Answer, Node } from '../answer.ts'
import type { Draft } from '../draft.ts'

export interface ViewProps<R> {
  draft: Draft
  node: Node
  answer: Answer<R>
  height: number
  /** Without the table below: on a dashboard. */
  compact: boolean
}

export interface TrendSeries {
  action: {
    id?: string | null
    order?: number
    name?: string | null
    custom_name?: string | null
    math?: string | null
    math_property?: string | null
  } | null
  label: string
  count: number
  data: number[] | null
  labels?: string[]
  days?: string[]
  aggregated_value?: number
  breakdown_value?: string | number | (string | number)[] | null
  compare?: boolean
  compare_label?: 'current' | 'previous'
  status?: 'new' | 'returning' | 'resurrecting' | 'dormant'
  /** What was asked, in short. */
  filter?: { breakdown?: unknown }
}

export interface FunnelStep {
  action_id: string | null
  name: string
  custom_name: string | null
  order: number
  count: number
  average_conversion_time: number | null
  median_conversion_time: number | null
  /** From the first step to this one. */
  total_median_conversion_time?: number | null
  breakdown_value?: string | (string | number)[] | null
  compare_label?: 'current' | 'previous'
}

export interface RetentionRow {
  label: string
  date: string
  values: { count: number; label?: string }[]
}

export interface PathEdge {
  source: string
  target: string
  value: number
  average_conversion_time: number
}
