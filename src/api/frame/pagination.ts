import { z } from 'zod'
import { wholeNumber } from './fields.ts'

const DEFAULT_LIMIT = 100
const LARGEST_LIMIT = 1_000

export const limitUpTo = (most: number) =>
  wholeNumber.optional().transform((limit) => Math.min(limit || DEFAULT_LIMIT, most))

/** `limit` and `offset` of every list. A limit above 1000 is served as 1000; 0 or none as 100. */
export const PAGE = z.object({
  limit: limitUpTo(LARGEST_LIMIT),
  offset: wholeNumber.optional().transform((offset) => offset ?? 0),
})
export type Page = z.output<typeof PAGE>

/** The envelope in words of a schema, for the API's description. */
export const envelopeOf = (record: z.ZodType) =>
  z.object({
    count: z.int(),
    next: z.string().nullable(),
    previous: z.string().nullable(),
    results: z.array(record),
  })

interface Envelope<T> {
  readonly count: number
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly T[]
}

/**
 * `next` is null on the last page, `previous` is the page before this one, or the last there is for whoever went past the end. Both carry
 * the other query parameters along, and `extra`.
 */
export function envelope<T>(
  url: URL,
  { limit, offset }: Page,
  count: number,
  results: readonly T[],
  {
    extra = {},
    hasMore = offset + limit < count,
  }: { extra?: Readonly<Record<string, string>>; hasMore?: boolean } = {},
): Envelope<T> {
  const at = (position: number) => {
    const page = new URL(url)
    page.searchParams.set('limit', String(limit))
    for (const [name, value] of Object.entries(extra)) page.searchParams.set(name, value)
    if (position > 0) page.searchParams.set('offset', String(position))
    else page.searchParams.delete('offset')
    return page.toString()
  }
  return {
    count,
    next: hasMore ? at(offset + limit) : null,
    previous: offset > 0 && count > 0 ? at(Math.max(0, Math.min(offset, count) - limit)) : null,
    results,
  }
}
