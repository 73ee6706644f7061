import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { IconName } from './icon.tsx'
import { Page } from './page.tsx'
import { EmptyState, ErrorState } from './states.tsx'
import { type Column, Table, TableSkeleton } from './table.tsx'

/** A page of things that have names: searched for, and opened by a click. */
export function ListPage<T>({
  title,
  sub,
  actions,
  icon,
  empty,
  search,
  asked,
  onSearch,
  list: { data, error, isPending, refetch },
  columns,
  rowKey,
  onOpen,
  children,
}: {
  /** Their plural. */
  title: string
  sub: string
  actions: ReactNode
  icon: IconName
  /** How one gets there, for whoever has none. */
  empty: string
  search: string
  /** What the list was asked for: the search, a moment later. */
  asked: string
  onSearch: (text: string) => void
  list: UseQueryResult<{ results: T[] }>
  columns: Column<T>[]
  rowKey: (row: T) => string
  onOpen: (row: T) => void
  children?: ReactNode
}) {
  const plural = title.toLowerCase()
  return (
    <Page title={title} sub={sub} actions={actions}>
      <input
        className="input"
        style={{ maxWidth: 320 }}
        placeholder="Search"
        aria-label={`Search ${plural}`}
        value={search}
        onChange={(event) => onSearch(event.target.value)}
      />
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : isPending ? (
        <TableSkeleton columns={columns} rows={6} />
      ) : data.results.length === 0 ? (
        <EmptyState icon={icon} title={asked ? 'Nothing matches' : `No ${plural} yet`}>
          {empty}
        </EmptyState>
      ) : (
        <Table label={title} columns={columns} rows={data.results} rowKey={rowKey} onOpen={onOpen} />
      )}
      {children}
    </Page>
  )
}
