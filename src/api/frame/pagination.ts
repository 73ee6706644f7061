import { z } from 'zod'

const DEFAULT_LIMIT = 100
const LARGEST_LIMIT = 1_000

const count = z.coerce
  .string()
  .regex(/^\d{1,15}$/, 'A valid integer is required.')
  .transform(Number)

/** `limit` and `offset` of every list. A limit above 1000 is served as 1000; 0 or none as 100. */
export const PAGE = z.object({
  limit: count.optional().transform((limit) => Math.min(limit || DEFAULT_LIMIT, LARGEST_LIMIT)),
  offset: count.optional().transform((offset) => offset ?? 0),
})
type Page = z.output<typeof PAGE>

interface Envelope<T> {
  readonly count: number
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly T[]
}

/** `next` is null on the last page and `previous` is the true previous page; both carry the other query parameters along, and `extra`. */
export function envelope<T>(
  url: URL,
  { limit, offset }: Page,
  count: number,
  results: readonly T[],
  extra: Readonly<Record<string, string>> = {},
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
    next: offset + limit < count ? at(offset + limit) : null,
    previous: offset > 0 ? at(Math.max(0, offset - limit)) : null,
    results,
  }
}
