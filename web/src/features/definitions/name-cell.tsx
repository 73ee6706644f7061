import { Badge } from '../../ui/controls.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { DefinitionNotes } from './notes.ts'

/** The name in words, with what people said about it. */
export function NameCell({ shown, raw, notes }: { shown: string; raw: string; notes: DefinitionNotes }) {
  return (
    <span className="definition-name">
      <span className="row">
        <span className={`truncate ${notes.hidden ? 'soft' : ''}`}>{shown}</span>
        {notes.verified && (
          <span className="definition-verified" title="Verified">
            <Icon name="check" size={14} />
            <span className="unseen">verified</span>
          </span>
        )}
        {notes.hidden && <Badge>hidden</Badge>}
      </span>
      {shown !== raw && <span className="mono tiny soft truncate">{raw}</span>}
    </span>
  )
}

export function NotesCell({ description, tags }: DefinitionNotes) {
  return (
    <span className="row">
      {description ? <span className="truncate soft">{description}</span> : <span className="faint">–</span>}
      {tags?.slice(0, 3).map((tag) => (
        <Badge key={tag}>{tag}</Badge>
      ))}
    </span>
  )
}
