import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Page as Paginated } from '../../api/contract.ts'
import type { Listing } from '../../api/queries.ts'
import { useDebounced } from '../../lib/use-debounced.ts'
import type { IconName } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { type Column, type RowLink, Table, TableSkeleton } from '../../ui/table.tsx'

/** A page of things that have names: searched for, and opened by a click. */
export function ListPage<T>({
  title,
  sub,
  actions,
  icon,
  empty,
  ask,
  columns,
  rowKey,
  link,
  children,
}: {
  /** Their plural. */
  title: string
  sub: string
  actions: ReactNode
  icon: IconName
  /** How to create the first one. */
  empty: string
  /** Those that match what is searched for. */
  ask: (search: string) => Listing<Paginated<T>>
  columns: Column<T>[]
  rowKey: (row: T) => string
  link: (row: T) => RowLink
  children?: ReactNode
}) {
  const [search, setSearch] = useState('')
  const asked = useDebounced(search.trim())
  const { data, error, isPending, refetch } = useQuery(ask(asked))
  const plural = title.toLowerCase()
  return (
    <Page title={title} sub={sub} actions={actions}>
      <input
        className="input"
        style={{ maxWidth: 320 }}
        placeholder="Search"
        aria-label={`Search ${plural}`}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : isPending ? (
        <TableSkeleton columns={columns} rows={6} />
      ) : data.results.length === 0 ? (
        <EmptyState icon={icon} title={asked ? 'No matches' : `No ${plural} yet`}>
          {empty}
        </EmptyState>
      ) : (
        <Table label={title} columns={columns} rows={data.results} rowKey={rowKey} link={link} />
      )}
      {children}
    </Page>
  )
}
