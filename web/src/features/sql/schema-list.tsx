import { useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import {
  type PropertyOwner,
  propertyPath,
  type SchemaField,
  type SchemaTable,
  useProperties,
  useSchema,
} from './schema.ts'

type Pick = (name: string) => void
type Of<T, K extends keyof T> = { readonly [Key in K]: T[Key] }

/** Tables and their fields, with types and examples; a click writes the name into the query. */
export function SchemaList({ onPick }: { onPick: Pick }) {
  const { data, error, refetch } = useSchema()
  const [search, setSearch] = useState('')
  const [open, setOpen] = useState<string | null>('events')
  const wanted = search.trim().toLowerCase()
  const shown = data
    ?.map((table) => ({ table, fields: matching(table, wanted) }))
    .filter(({ fields }) => fields.length > 0)
  return (
    <nav className="schema" aria-label="Tables and columns">
      <input
        type="search"
        className="schema-search"
        aria-label="Search tables and fields"
        placeholder="Search tables and fields"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {error && <ErrorState error={error} retry={() => refetch()} />}
      {!data && !error && <SkeletonRows rows={8} />}
      {shown?.map(({ table, fields }) => {
        const isOpen = wanted !== '' || open === table.name
        return (
          <div key={table.name}>
            <button
              type="button"
              className="schema-table"
              title={table.words}
              aria-expanded={isOpen}
              onClick={() => setOpen(open === table.name ? null : table.name)}
            >
              <Icon name={isOpen ? 'down' : 'right'} size={14} className="faint" />
              {table.name}
            </button>
            {isOpen && (
              <ul>
                {fields.map((field) =>
                  field.properties ? (
                    <Properties key={field.path} field={field} owner={field.properties} onPick={onPick} />
                  ) : (
                    <Field key={field.path} {...field} onPick={onPick} />
                  ),
                )}
              </ul>
            )}
          </div>
        )
      })}
      {wanted !== '' && <FoundProperties search={wanted} isAll={shown?.length === 0} onPick={onPick} />}
    </nav>
  )
}

/** All fields of a table that is meant, or those that are. */
const matching = ({ name, fields }: SchemaTable, wanted: string): readonly SchemaField[] =>
  name.toLowerCase().includes(wanted) ? fields : fields.filter(({ path }) => path.toLowerCase().includes(wanted))

function Field({
  path,
  name,
  type,
  sample,
  words,
  onPick,
}: Of<SchemaField, 'path' | 'name' | 'type' | 'sample'> & { words?: string; onPick: Pick }) {
  const about = [words, sample === null ? '' : `for example ${sample}`].filter(Boolean).join(': ')
  return (
    <li>
      <button type="button" className="schema-column" title={about || name} onClick={() => onPick(path)}>
        <span className="mono truncate">{name}</span>
        <span className="tiny faint">{type}</span>
        {sample !== null && <span className="schema-sample tiny soft truncate">{sample}</span>}
      </button>
    </li>
  )
}

function Properties({ field, owner, onPick }: { field: SchemaField; owner: PropertyOwner; onPick: Pick }) {
  const [open, setOpen] = useState(false)
  const properties = useProperties(owner, { enabled: open })
  return (
    <li>
      <button
        type="button"
        className="schema-column"
        title={field.words}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <span className="mono truncate">
          {field.name}
          <span className="faint">.{open ? '' : '…'}</span>
        </span>
        <span className="tiny faint">{field.type}</span>
      </button>
      {open && (
        <ul className="schema-properties">
          {properties?.map((property) => (
            <Field key={property.name} {...property} path={propertyPath(field.path, property.name)} onPick={onPick} />
          ))}
          {properties?.length === 0 && <li className="tiny soft schema-none">none yet</li>}
        </ul>
      )}
    </li>
  )
}

const OWNERS = [
  ['event', 'properties', 'Properties of events'],
  ['person', 'person.properties', 'Properties of persons'],
] as const

/** Properties whose names hold what is searched for. `isAll`: no table and no field was found. */
function FoundProperties({ search, isAll, onPick }: { search: string; isAll: boolean; onPick: Pick }) {
  const found = {
    event: useProperties('event', { search, enabled: true }),
    person: useProperties('person', { search, enabled: true }),
  }
  if (isAll && found.event?.length === 0 && found.person?.length === 0)
    return <p className="tiny soft schema-none">No table, field or property of this name.</p>
  return OWNERS.map(([owner, prefix, title]) =>
    found[owner]?.length ? (
      <div key={owner}>
        <p className="schema-table soft">{title}</p>
        <ul>
          {found[owner].map((property) => (
            <Field key={property.name} {...property} path={propertyPath(prefix, property.name)} onPick={onPick} />
          ))}
        </ul>
      </div>
    ) : null,
  )
}
