import { Icon } from '../../../ui/icon.tsx'
import type { Kind } from '../draft.ts'
import { KIND_LOOKS } from '../kinds.ts'
import './builder.css'

export function KindTabs({ kind: chosen, onPick }: { kind: Kind; onPick: (kind: Kind) => void }) {
  return (
    <div className="kinds" role="radiogroup" aria-label="Kind of insight">
      {KIND_LOOKS.map(({ kind, title, text, icon }) => (
        <label key={kind} className="kind" title={text}>
          <input type="radio" className="unseen" name="kind" checked={chosen === kind} onChange={() => onPick(kind)} />
          <span className="kind-face">
            <Icon name={icon} size={18} />
            {title}
          </span>
        </label>
      ))}
    </div>
  )
}
