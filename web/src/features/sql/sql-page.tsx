import { useNavigate, useSearch } from '@tanstack/react-router'
import { readSearch, toSearch } from '../insights/index.ts'
import { SqlQuestion } from './sql-question.tsx'

/** A page for SQL queries. A query that is saved becomes an insight with its own address. */
export function SqlPage() {
  const navigate = useNavigate({ from: '/project/$projectId/sql' })
  const draft = readSearch(useSearch({ from: '/project/$projectId/sql' }))
  return (
    <SqlQuestion
      draft={draft}
      insight={undefined}
      changed={false}
      name="SQL"
      about="Query your events with SQL. Read a property as properties.name."
      onAsk={(next) => void navigate({ search: toSearch(next), resetScroll: false })}
    />
  )
}
