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
  /** The last bucket is not over yet: drawn dashed, or hatched. */
  unfinished?: boolean
  /** Some places have no number: the line goes on to the next that has, and points say which have. */
  gaps?: boolean
  /** What a click does, said at the foot of the tip. */
  hint?: string
}
