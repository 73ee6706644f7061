import { propertyName } from '../../../lib/names.ts'
import type { Choice } from '../../../ui/choice-list.tsx'
import { Button, Checkbox, IconButton, Select } from '../../../ui/controls.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Picker } from '../../../ui/picker.tsx'
import { useCohortChoices } from '../cohort-chip.tsx'
import { type Breakdown, type Draft, hasBins, isByCohort, MOST_BREAKDOWNS, MOST_COHORTS } from '../draft.ts'
import { DEFAULT_LIMIT } from '../node.ts'
import { freeProperty, readChoice, usePropertyChoices } from '../property-choices.ts'
import { without } from './without.ts'

const LIMITS = [3, 5, 10, 25, 50, 100]
const BINS = [0, 4, 5, 8, 10, 20]

/** By what an answer is split: up to three properties, of which the most frequent values are shown, or cohorts. */
export function BreakdownPart({ draft, onChange }: { draft: Draft; onChange: (draft: Draft) => void }) {
  const { choices, loading, numeric } = usePropertyChoices(
    ['event', 'person', 'session', 'group'],
    draft.series[0]?.event,
  )
  const cohorts = useCohortChoices(true)
  const ofCohorts = [EVERYONE, ...cohorts.choices]
  const by = draft.breakdown ?? []
  const byCohort = isByCohort(draft)
  const set = (next: Breakdown[]) => {
    if (next.length > 0) return onChange({ ...draft, breakdown: next })
    const { breakdown: _, breakdownLimit: __, hideOther: ___, ...rest } = draft
    onChange(rest)
  }
  const pick = (index: number) => (value: string) => {
    const part = partOf(value)
    // Cohorts and properties do not combine: one takes the place of the others.
    const kept = by.map((other) => ((other.type === 'cohort') === (part.type === 'cohort') ? other : undefined))
    const parts = [...kept.slice(0, index), part, ...kept.slice(index + 1)]
    const once = (one: Breakdown | undefined, at: number): one is Breakdown =>
      one !== undefined && !parts.some((other, i) => i < at && keyOf(other) === keyOf(one))
    set(parts.filter(once))
  }
  const picker = {
    label: 'Properties and cohorts',
    choices: [...choices, ...ofCohorts],
    loading: loading || cohorts.loading,
    free: freeProperty('event'),
  }
  const nameOf = (part: Breakdown): string =>
    part.type === 'cohort'
      ? (ofCohorts.find(({ value }) => value === keyOf(part))?.label ?? `Cohort ${part.property}`)
      : propertyName(part.property)
  return (
    <section className="builder-part" aria-label="Breakdown">
      <h3>Break down by</h3>
      {by.map((part, index) => (
        <div className="row" key={keyOf(part)}>
          <Picker
            {...picker}
            onPick={pick(index)}
            trigger={(props) => (
              <button type="button" className="pick" {...props}>
                <span className="truncate">{nameOf(part)}</span>
                <Icon name="down" size={14} className="faint" />
              </button>
            )}
          />
          {hasBins(draft.kind) && !byCohort && (part.bins !== undefined || numeric.has(keyOf(part))) && (
            <Bins part={part} onChange={(next) => set(by.map((other, i) => (i === index ? next : other)))} />
          )}
          <span className="grow" />
          <IconButton
            small
            label={by.length === 1 ? 'Remove the breakdown' : `Remove the breakdown by ${nameOf(part)}`}
            icon="close"
            onClick={() => set(by.filter((_, i) => i !== index))}
          />
        </div>
      ))}
      {by.length < (byCohort ? MOST_COHORTS : MOST_BREAKDOWNS) && (
        <div>
          <Picker
            {...picker}
            onPick={pick(by.length)}
            trigger={(props) =>
              by.length === 0 ? (
                <button type="button" className="pick pick-empty" {...props}>
                  <span className="truncate">Choose a property or cohort</span>
                  <Icon name="down" size={14} className="faint" />
                </button>
              ) : (
                <Button small kind="quiet" icon="plus" {...props}>
                  {byCohort ? 'Add a cohort' : 'Add a breakdown'}
                </Button>
              )
            }
          />
        </div>
      )}
      {by.length > 0 && !byCohort && (
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

const EVERYONE: Choice = { value: 'cohort:all', label: 'Everyone', group: 'Cohorts' }

const keyOf = (part: Breakdown | undefined): string => `${part?.type}:${part?.property}`

function partOf(value: string): Breakdown {
  if (value.startsWith('cohort:')) return { property: value.slice('cohort:'.length), type: 'cohort' }
  const { name, ...of } = readChoice(value)
  return { property: name, ...of }
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
