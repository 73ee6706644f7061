/** What a chart of lines or bars shows. */
export interface PlottedSeries {
  name: string
  data: readonly (number | null)[]
  /** A CSS variable, such as --s1. */
  colour: string
  /** The previous period: same colour, dashed and pale. */
  faded?: boolean
  /** Its own dates, where they are not those of the axis. */
  labels?: readonly string[]
}

export interface Plot {
  labels: readonly string[]
  series: readonly PlottedSeries[]
  /** Along the axis, and everywhere unless `exact` is given. */
  format?: ((value: number) => string) | undefined
  /** In the tooltip. */
  exact?: ((value: number) => string) | undefined
  /** The end of the scale, where it is known: 100%. */
  max?: number
  /** The last bucket is in progress: drawn dotted or hatched. */
  unfinished?: boolean
  /** Some buckets have no value: the line connects the neighbours, and dots mark where values are. */
  gaps?: boolean
  /** Powers of ten have the same distance; there is no place for zero. */
  log?: boolean
  /** A straight line through each series: where it is heading. */
  trendLine?: boolean
  /** Lines across: what somebody wants to reach. */
  goals?: readonly { label: string; value: number }[]
  /** Lines down: what happened in a bucket. */
  notes?: readonly PlotNote[]
  /** What a click does, shown at the bottom of the tooltip. */
  hint?: string
}

export interface PlotNote {
  /** Of which bucket. */
  at: number
  text: string
}
