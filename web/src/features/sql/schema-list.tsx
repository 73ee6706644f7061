import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useProject } from '../../api/project.tsx'
import { propertyDefinitions } from '../../api/queries.ts'
import { Icon } from '../../ui/icon.tsx'
import { SCHEMA, type TableName } from './schema.ts'

const MOST_PROPERTIES = 100
const PLAIN = /^[A-Za-z_$][\w$]*$/

/** Names with a blank or a hyphen need quotes. */
const propertyPath = (prefix: string, name: string): string =>
  `${prefix}.${PLAIN.test(name) ? name : `\`${name.replaceAll('`', '\\`')}\``}`

/** Tables and their columns, properties among them; a click writes the name into the query. */
export function SchemaList({ onPick }: { onPick: (name: string) => void }) {
  const [open, setOpen] = useState<TableName | null>('events')
  return (
    <nav className="schema" aria-label="Tables and columns">
      {(Object.keys(SCHEMA) as TableName[]).map((table) => (
        <div key={table}>
          <button
            type="button"
            className="schema-table"
            aria-expanded={open === table}
            onClick={() => setOpen(open === table ? null : table)}
          >
            <Icon name={open === table ? 'down' : 'right'} size={14} className="faint" />
            {table}
          </button>
          {open === table && <Columns table={table} onPick={onPick} />}
        </div>
      ))}
    </nav>
  )
}

const PROPERTIES_OF: Partial<Record<TableName, Record<string, 'event' | 'person' | 'group'>>> = {
  events: { properties: 'event', 'person.properties': 'person' },
  persons: { properties: 'person' },
  groups: { properties: 'group' },
}

function Columns({ table, onPick }: { table: TableName; onPick: (name: string) => void }) {
  return (
    <ul>
      {SCHEMA[table].map((column) => {
        const type = PROPERTIES_OF[table]?.[column]
        return type ? (
          <PropertyColumns key={column} column={column} type={type} onPick={onPick} />
        ) : (
          <li key={column}>
            <button type="button" className="schema-column mono truncate" onClick={() => onPick(column)}>
              {column}
            </button>
          </li>
        )
      })}
    </ul>
  )
}

function PropertyColumns({
  column,
  type,
  onPick,
}: {
  column: string
  type: 'event' | 'person' | 'group'
  onPick: (name: string) => void
}) {
  const project = useProject()
  const [open, setOpen] = useState(false)
  const { data } = useQuery({
    ...propertyDefinitions(project.id, { type, limit: MOST_PROPERTIES, exclude_hidden: true }),
    enabled: open,
    staleTime: 60_000,
  })
  return (
    <li>
      <button type="button" className="schema-column mono truncate" aria-expanded={open} onClick={() => setOpen(!open)}>
        {column}
        <span className="faint">.{open ? '' : '…'}</span>
      </button>
      {open && (
        <ul className="schema-properties">
          {data?.results.map(({ id, name }) => (
            <li key={id}>
              <button
                type="button"
                className="schema-column mono truncate"
                title={name}
                onClick={() => onPick(propertyPath(column, name))}
              >
                {name}
              </button>
            </li>
          ))}
          {data?.results.length === 0 && <li className="tiny soft schema-none">none yet</li>}
        </ul>
      )}
    </li>
  )
}
