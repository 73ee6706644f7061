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
  format?: ((value: number) => string) | undefined
  /** The end of the scale, where it is known: 100%. */
  max?: number
  /** The last bucket is in progress: drawn dotted or hatched. */
  unfinished?: boolean
  /** Some buckets have no value: the line connects the neighbours, and dots mark where values are. */
  gaps?: boolean
  /** What a click does, shown at the bottom of the tooltip. */
  hint?: string
}
