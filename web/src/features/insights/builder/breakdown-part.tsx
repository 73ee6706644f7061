import { propertyName } from '../../../lib/names.ts'
import { Button, Checkbox, IconButton, Select } from '../../../ui/controls.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Picker } from '../../../ui/picker.tsx'
import { type Breakdown, type Draft, hasBins, MOST_BREAKDOWNS } from '../draft.ts'
import { DEFAULT_LIMIT } from '../node.ts'
import { freeProperty, readChoice, usePropertyChoices } from '../property-choices.ts'
import { without } from './without.ts'

const LIMITS = [3, 5, 10, 25, 50, 100]
const BINS = [0, 4, 5, 8, 10, 20]

/** By what an answer is split: up to three properties, of which the most frequent values are shown. */
export function BreakdownPart({ draft, onChange }: { draft: Draft; onChange: (draft: Draft) => void }) {
  const { choices, loading, numeric } = usePropertyChoices(['event', 'person', 'group'], draft.series[0]?.event)
  const by = draft.breakdown ?? []
  const set = (next: Breakdown[]) => {
    if (next.length > 0) return onChange({ ...draft, breakdown: next })
    const { breakdown: _, breakdownLimit: __, hideOther: ___, ...rest } = draft
    onChange(rest)
  }
  const pick = (index: number) => (value: string) => {
    const { name, ...of } = readChoice(value)
    set([...by.slice(0, index), { property: name, ...of }, ...by.slice(index + 1)])
  }
  const picker = { label: 'Properties', choices, loading, free: freeProperty('event') }
  return (
    <section className="builder-part" aria-label="Breakdown">
      <h3>Break down by</h3>
      {by.map((part, index) => (
        <div className="row" key={`${part.type}:${part.property}`}>
          <Picker
            {...picker}
            onPick={pick(index)}
            trigger={(props) => (
              <button type="button" className="pick" {...props}>
                <span className="truncate">{propertyName(part.property)}</span>
                <Icon name="down" size={14} className="faint" />
              </button>
            )}
          />
          {hasBins(draft.kind) && (part.bins !== undefined || numeric.has(`${part.type}:${part.property}`)) && (
            <Bins part={part} onChange={(next) => set(by.map((other, i) => (i === index ? next : other)))} />
          )}
          <span className="grow" />
          <IconButton
            small
            label={by.length === 1 ? 'Remove the breakdown' : `Remove the breakdown by ${propertyName(part.property)}`}
            icon="close"
            onClick={() => set(by.filter((_, i) => i !== index))}
          />
        </div>
      ))}
      {by.length < MOST_BREAKDOWNS && (
        <div>
          <Picker
            {...picker}
            onPick={pick(by.length)}
            trigger={(props) =>
              by.length === 0 ? (
                <button type="button" className="pick pick-empty" {...props}>
                  <span className="truncate">Choose a property</span>
                  <Icon name="down" size={14} className="faint" />
                </button>
              ) : (
                <Button small kind="quiet" icon="plus" {...props}>
                  Add a breakdown
                </Button>
              )
            }
          />
        </div>
      )}
      {by.length > 0 && (
        <div className="row-wrap">
          <Select
            label="Values shown"
            className="small-select"
            value={String(draft.breakdownLimit ?? DEFAULT_LIMIT)}
            options={[...new Set([...LIMITS, draft.breakdownLimit ?? DEFAULT_LIMIT])]
              .sort((a, b) => a - b)
              .map((limit) => ({ value: String(limit), label: `Top ${limit} values` }))}
            onChange={(event) => onChange({ ...draft, breakdownLimit: Number(event.target.value) })}
          />
          <Checkbox
            checked={draft.hideOther === true}
            onChange={(event) => onChange(without(draft, 'hideOther', event.target.checked || undefined))}
          >
            Hide &ldquo;Other&rdquo;
          </Checkbox>
        </div>
      )}
    </section>
  )
}

/** Each number by itself, or ranges with about as many values in each. */
function Bins({ part, onChange }: { part: Breakdown; onChange: (part: Breakdown) => void }) {
  const { bins, ...plain } = part
  return (
    <Select
      label={`Ranges of ${propertyName(part.property)}`}
      className="small-select"
      value={String(bins ?? 0)}
      options={[...new Set([...BINS, bins ?? 0])]
        .sort((a, b) => a - b)
        .map((count) => ({ value: String(count), label: count === 0 ? 'each value' : `${count} ranges` }))}
      onChange={(event) => {
        const count = Number(event.target.value)
        onChange(count === 0 ? plain : { ...plain, bins: count })
      }}
    />
  )
}
