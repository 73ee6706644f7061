import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { PropertyDefinition } from '../../api/contract.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { propertyDefinitions } from '../../api/queries.ts'
import { valueText } from '../../lib/format.ts'
import { propertyName } from '../../lib/names.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { NameCell, NotesCell } from './name-cell.tsx'
import { NotesForm, typeName } from './notes-form.tsx'

export function PropertiesTable({
  search,
  type,
  hiddenToo,
  open,
  onClose,
}: {
  search: string
  type: 'event' | 'person' | 'group'
  hiddenToo: boolean
  open: string | undefined
  onClose: () => void
}) {
  const project = useProject()
  const params = useProjectParams()
  const { data, error, isPending, refetch } = useQuery(
    propertyDefinitions(project.id, { search, type, limit: 1000, exclude_hidden: hiddenToo ? undefined : true }),
  )
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (isPending) return <SkeletonRows rows={10} />
  if (data.results.length === 0)
    return (
      <EmptyState icon="definitions" title={search ? 'No matches' : 'No properties yet'}>
        {search ? 'Search covers names and descriptions.' : 'Properties appear here once they are received.'}
      </EmptyState>
    )
  const chosen = data.results.find(({ id }) => id === open)
  return (
    <>
      <Table
        label="Properties"
        columns={COLUMNS}
        rows={data.results}
        rowKey={({ id }) => id}
        height={720}
        link={({ id }) => (
          <Link
            to="/project/$projectId/definitions"
            params={params}
            search={{ view: type, open: id }}
            replace
            resetScroll={false}
          />
        )}
      />
      {chosen && (
        <Dialog title={propertyName(chosen.name)} onClose={onClose} width={520}>
          {propertyName(chosen.name) !== chosen.name && <p className="mono tiny soft">sent as {chosen.name}</p>}
          {chosen.samples && chosen.samples.length > 0 && (
            <p className="small soft notes-samples">Examples: {chosen.samples.map(valueText).join(', ')}</p>
          )}
          <NotesForm kind="property" definition={chosen} onDone={onClose} />
        </Dialog>
      )}
    </>
  )
}

const COLUMNS: Column<PropertyDefinition>[] = [
  {
    id: 'name',
    header: 'Property',
    width: '30%',
    cell: (row) => <NameCell shown={propertyName(row.name)} raw={row.name} notes={row} />,
  },
  {
    id: 'type',
    header: 'Values',
    width: '130px',
    cell: ({ property_type }) => (property_type ? typeName(property_type) : <span className="faint">unknown</span>),
  },
  {
    id: 'samples',
    header: 'Examples',
    spare: true,
    cell: ({ samples }) => <span className="soft">{samples?.slice(0, 4).map(valueText).join(', ')}</span>,
  },
  { id: 'notes', header: 'Description', spare: true, cell: (row) => <NotesCell {...row} /> },
]
