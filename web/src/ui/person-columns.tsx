import { ago } from '../lib/format.ts'
import { lastSeenOf, personName } from '../lib/names.ts'
import { Avatar } from './controls.tsx'
import type { Column } from './table.tsx'

type Named = Parameters<typeof personName>[0]
type Seen = Parameters<typeof lastSeenOf>[0]

/** Columns of tables that list persons. */
export const PERSON_NAME: Column<Named> = {
  id: 'name',
  header: 'Person',
  cell: (person) => (
    <span className="row">
      <Avatar name={personName(person)} size={24} />
      <span className="truncate">{personName(person)}</span>
    </span>
  ),
}

export const LAST_SEEN: Column<Seen> = {
  id: 'seen',
  header: 'Last seen',
  align: 'right',
  cell: (person) => {
    const seen = lastSeenOf(person)
    return seen ? ago(seen) : '–'
  },
}
