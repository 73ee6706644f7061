import { useState } from 'react'
import { plural } from '../../lib/format.ts'
import { TextField } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { usePart } from './ask.ts'
import { DIMENSIONS, type DimensionId, valueName } from './dimensions.ts'
import { MOST_ROWS, nodeOf } from './nodes.ts'
import { RowsSkeleton, RowsTable } from './rows-table.tsx'
import { useWebSource } from './source.tsx'
import { TableCsv } from './table-card.tsx'

/** A table whole: every row, found by a word. */
export function AllRows({ on }: { on: DimensionId }) {
  const { state, change } = useWebSource()
  const [word, setWord] = useState('')
  const { data, error, refetch } = usePart(nodeOf(state, on, MOST_ROWS))
  const { label } = DIMENSIONS[on]
  const wanted = word.trim().toLowerCase()
  const rows = (data?.results ?? []).filter((row) => valueName(on, row[0]).toLowerCase().includes(wanted))
  return (
    <Dialog title={label} width={820} onClose={() => change({ all: undefined })}>
      <div className="row">
        <TextField
          label={`Search ${label.toLowerCase()}`}
          hideLabel
          placeholder={`Search ${label.toLowerCase()}`}
          value={word}
          onChange={(event) => setWord(event.target.value)}
          className="grow"
        />
        <TableCsv on={on} />
      </div>
      <div className="web-all">
        {error ? (
          <ErrorState error={error} retry={() => refetch()} />
        ) : !data ? (
          <RowsSkeleton rows={10} />
        ) : (
          <RowsTable on={on} table={{ columns: data.columns, results: rows }} label={`All ${label.toLowerCase()}`} />
        )}
      </div>
      <p className="tiny soft">
        {data ? `${plural(rows.length, 'row')}${data.hasMore ? ', the first of more' : ''}` : 'Loading'}
      </p>
    </Dialog>
  )
}
