import { useContext, useState } from 'react'
import { useProject } from '../../../api/project.tsx'
import { dateTime, dayOnly } from '../../../lib/format.ts'
import { Button } from '../../../ui/controls.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { AnnotationDialog } from './annotation-dialog.tsx'
import { ChartPlaceContext } from './chart-place.tsx'
import type { Dated } from './notes.ts'
import './annotations.css'

/** What is written on a chart, below it: to read in full, to change, and to add to. */
export function AnnotationList({ annotations }: { annotations: readonly Dated[] }) {
  const project = useProject()
  const place = useContext(ChartPlaceContext)
  const [open, setOpen] = useState<Dated | 'new' | null>(null)
  return (
    <div className="annotations">
      {annotations.map((annotation) => (
        <button
          key={annotation.id}
          type="button"
          className="annotation"
          title={`${dateTime(annotation.date_marker, project.timezone)}: ${annotation.content}`}
          onClick={() => setOpen(annotation)}
        >
          <Icon name="tag" size={13} className="faint" />
          <span className="soft">{dayOnly(annotation.date_marker, project.timezone)}</span>
          <span className="truncate">{[annotation.emoji, annotation.content].filter(Boolean).join(' ')}</span>
        </button>
      ))}
      <Button small kind="quiet" icon="plus" onClick={() => setOpen('new')}>
        Add an annotation
      </Button>
      {open !== null && (
        <AnnotationDialog
          annotation={open === 'new' ? undefined : open}
          insight={place.insight}
          onClose={() => setOpen(null)}
        />
      )}
    </div>
  )
}
