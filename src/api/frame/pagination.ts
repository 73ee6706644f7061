import type { Page, PageQuery } from '../../contract/envelopes.ts'

/**
 * `next` is null on the last page, `previous` is the page before this one, or the last there is for whoever went past
 * the end. Both carry the other query parameters along, and `extra`.
 */
export function envelope<T>(
  url: URL,
  { limit, offset }: PageQuery,
  count: number,
  results: readonly T[],
  {
    extra = {},
    hasMore = offset + limit < count,
  }: { extra?: Readonly<Record<string, string>>; hasMore?: boolean } = {},
): Page<T> {
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
