import { DAY, HOUR } from '../lib/durations.ts'

/** When a job runs: the first time after a moment. */
export type When = (after: Date) => Date

export const every =
  (ms: number): When =>
  (after) =>
    new Date(after.getTime() + ms)

const FIVE_O_CLOCK = 5 * HOUR
/** A Sunday, at 05:00 UTC. */
const A_RUN = Date.UTC(1970, 0, 4) + FIVE_O_CLOCK

/** 05:00 UTC every Sunday. */
export const nextSundayAtFive: When = (after) => {
  const weeks = Math.floor((after.getTime() - A_RUN) / (7 * DAY)) + 1
  return new Date(A_RUN + weeks * 7 * DAY)
}
