import { useQueries, useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import type { Page, Person } from '../../api/contract.ts'
import { persons } from '../../api/queries.ts'
import type { Rows } from '../../ui/table.tsx'

const PAGE_SIZE = 100
/** Rows near the visible ones are loaded too: the table renders some of them, and the user scrolls on. */
const NEAR = 30
/** More rows would be taller than browsers can draw. */
const MOST_ROWS = 500_000

/**
 * All persons that match, for a table: the first page says how many there are, the others load when their rows come
 * into view. All pages are as of the time of the first, so that nobody is shown twice when new persons arrive
 * meanwhile.
 */
export function usePersonList(projectId: number, asked: Record<string, string>) {
  const [seen, setSeen] = useState({ first: 0, last: 0 })
  const onSeen = useCallback((first: number, last: number) => setSeen({ first, last }), [])
  const head = useQuery(persons(projectId, { ...asked, limit: PAGE_SIZE }))
  const asOf = head.isPlaceholderData ? undefined : asOfNext(head.data)
  const wanted = asOf === undefined ? [] : pagesOf(seen, head.data?.count ?? 0)
  const pages = useQueries({
    queries: wanted.map((page) => ({
      ...persons(projectId, { ...asked, limit: PAGE_SIZE, offset: page * PAGE_SIZE, as_of: asOf }),
      staleTime: Number.POSITIVE_INFINITY,
    })),
  })
  const known = new Map<number, Page<Person> | undefined>([[0, head.data]])
  for (const [i, page] of wanted.entries()) known.set(page, pages[i]?.data)
  // Persons may be deleted meanwhile: the latest answer has the current count.
  const count = pages.findLast(({ data }) => data)?.data?.count ?? head.data?.count
  const rows: Rows<Person> = {
    length: Math.min(count ?? 0, MOST_ROWS),
    at: (index) => known.get(Math.floor(index / PAGE_SIZE))?.results[index % PAGE_SIZE],
  }
  const failed = [head, ...pages].find(({ error }) => error)
  return {
    rows,
    count,
    seen,
    onSeen,
    isPending: head.isPending,
    isStale: head.isPlaceholderData,
    error: failed?.error ?? null,
    retry: () => void failed?.refetch(),
  }
}

const asOfNext = (page: Page<Person> | undefined): string | undefined =>
  (page?.next && new URL(page.next).searchParams.get('as_of')) || undefined

/** The pages that hold these rows and those near them, without the first. */
function pagesOf({ first, last }: { first: number; last: number }, count: number): number[] {
  const from = Math.max(1, Math.floor((first - NEAR) / PAGE_SIZE))
  const to = Math.floor(Math.min(last + NEAR, count - 1) / PAGE_SIZE)
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i)
}
