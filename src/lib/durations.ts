/** Spans of time in milliseconds, the unit of `Date.now()`. */
export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export const startOfHour = (time: Date): Date => new Date(Math.floor(time.getTime() / HOUR) * HOUR)
