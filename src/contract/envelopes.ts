/** The shapes around answers: pages of lists, and the answers that only say that something was done. */
import { z } from 'zod'
import { wholeNumber } from './fields.ts'

const DEFAULT_LIMIT = 100
const LARGEST_LIMIT = 1_000

export const limitUpTo = (most: number, usual = DEFAULT_LIMIT) =>
  wholeNumber
    .optional()
    .transform((limit) => Math.min(limit || usual, most))
    .meta({ description: `How many at most: up to ${most}, and ${usual} when it is left out.` })

/** `limit` and `offset` of every list. A limit above 1000 is served as 1000; 0 or none as 100. */
export const pageQuerySchema = z.object({
  limit: limitUpTo(LARGEST_LIMIT),
  offset: wholeNumber
    .optional()
    .transform((offset) => offset ?? 0)
    .meta({ description: 'How many to pass over.' }),
})
export type PageQuery = z.output<typeof pageQuerySchema>

/** The address of another page of the same list; null when there is none. */
const pageLink = z.url().nullable()

/** A page of a list: how many there are in all, and where the pages beside this one are. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ count: z.int(), next: pageLink, previous: pageLink, results: z.array(item) })
export interface Page<T> {
  readonly count: number
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly T[]
}

/** A page of a list that is read by cursor: nobody counts how many there are. */
export const cursorPageOf = <T extends z.ZodType>(item: T) => z.object({ next: pageLink, results: z.array(item) })

/** A list that comes whole. */
export const resultsOf = <T extends z.ZodType>(item: T) => z.object({ results: z.array(item) })

/** It was done, and there is nothing else to say. */
export const successSchema = z.object({ success: z.literal(true) }).meta({ id: 'Success' })
