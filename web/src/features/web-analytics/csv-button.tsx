import { useState } from 'react'
import { csvText } from '../../lib/csv.ts'
import { Button } from '../../ui/controls.tsx'
import { sayFailure } from '../../ui/toast.tsx'
import { download } from '../insights/index.ts'

/** Saves what a part of the page shows. `lines` may have to ask for rows that are not in sight. */
export function CsvButton({
  of,
  file,
  lines,
  disabled,
}: {
  /** "CSV of systems" */
  of: string
  file: string
  lines: () => unknown[][] | Promise<unknown[][]>
  disabled?: boolean
}) {
  const [busy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      download(`${file}.csv`, csvText(await lines()))
    } catch (error) {
      sayFailure(error)
    }
    setBusy(false)
  }
  return (
    <Button
      small
      kind="quiet"
      icon="download"
      onClick={save}
      busy={busy}
      disabled={disabled === true}
      aria-label={`CSV of ${of}`}
    >
      CSV
    </Button>
  )
}
