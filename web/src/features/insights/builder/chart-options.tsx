import { keyed } from '../../../lib/keyed.ts'
import { Button, Checkbox, IconButton, Select, TextField } from '../../../ui/controls.tsx'
import type { Draft } from '../draft.ts'
import { type Goal, MOST_GOALS } from '../looks.ts'
import { without } from './without.ts'

type Part = { draft: Draft; onChange: (draft: Draft) => void }

const UNITS = [
  { value: '', label: 'Plain numbers' },
  { value: 'percentage', label: 'Percent (42 is 42%)' },
  { value: 'percentage_scaled', label: 'Percent (0.42 is 42%)' },
  { value: 'currency', label: 'US dollars' },
  { value: 'duration', label: 'Duration, in seconds' },
  { value: 'duration_ms', label: 'Duration, in milliseconds' },
  { value: 'short', label: 'Short (12.3K)' },
]

/** How a trend is drawn: nothing here changes what is counted. */
export function ChartOptions({ draft, onChange }: Part) {
  const overTime = OVER_TIME.has(draft.display ?? 'line')
  return (
    <details className="builder-part">
      <summary>Chart</summary>
      <div className="stack" style={{ gap: 12, paddingTop: 8 }}>
        <Select
          label="Unit"
          hideLabel={false}
          value={draft.unit ?? ''}
          options={UNITS}
          onChange={(event) => onChange(without(draft, 'unit', (event.target.value || undefined) as Draft['unit']))}
        />
        <div className="chart-fields">
          <TextField
            label="Before"
            placeholder="€"
            maxLength={20}
            value={draft.prefix ?? ''}
            onChange={(event) => onChange(without(draft, 'prefix', event.target.value || undefined))}
          />
          <TextField
            label="After"
            placeholder=" kg"
            maxLength={20}
            value={draft.suffix ?? ''}
            onChange={(event) => onChange(without(draft, 'suffix', event.target.value || undefined))}
          />
          <Select
            label="Decimals"
            hideLabel={false}
            value={draft.decimals === undefined ? '' : String(draft.decimals)}
            options={[
              { value: '', label: 'Auto' },
              ...[0, 1, 2, 3, 4].map((count) => ({ value: String(count), label: String(count) })),
            ]}
            onChange={({ target: { value } }) =>
              onChange(without(draft, 'decimals', value === '' ? undefined : Number(value)))
            }
          />
        </div>
        {overTime && (
          <>
            {draft.display !== 'bar' && draft.display !== 'area' && (
              <Checkbox
                checked={draft.log === true}
                onChange={(event) => onChange(without(draft, 'log', event.target.checked || undefined))}
              >
                Logarithmic axis
              </Checkbox>
            )}
            <Checkbox
              checked={draft.trendLine === true}
              onChange={(event) => onChange(without(draft, 'trendLine', event.target.checked || undefined))}
            >
              Trend line
            </Checkbox>
            <Goals draft={draft} onChange={onChange} />
          </>
        )}
      </div>
    </details>
  )
}

const OVER_TIME: ReadonlySet<string> = new Set(['line', 'area', 'bar', 'cumulative'])

function Goals({ draft, onChange }: Part) {
  const goals = draft.goals ?? []
  const set = (next: Goal[]) => onChange(without(draft, 'goals', next.length > 0 ? next : undefined))
  const replace = (index: number, next: Goal) => set(goals.map((other, i) => (i === index ? next : other)))
  return (
    <div className="stack">
      {goals.length > 0 && <span className="field-label">Goals</span>}
      {keyed(goals.map((_, index) => String(index))).map(({ key, index }) => {
        const goal = goals[index] as Goal
        return (
          <div className="row" key={key}>
            <input
              className="input"
              aria-label={`Name of goal ${index + 1}`}
              placeholder="Goal"
              maxLength={60}
              value={goal.label}
              onChange={(event) => replace(index, { ...goal, label: event.target.value })}
            />
            <input
              className="input"
              style={{ width: 110, flex: 'none' }}
              type="number"
              step="any"
              aria-label={`Value of goal ${index + 1}`}
              value={goal.value}
              onChange={(event) => replace(index, { ...goal, value: Number(event.target.value) || 0 })}
            />
            <IconButton
              small
              label={`Remove goal ${index + 1}`}
              icon="close"
              onClick={() => set(goals.filter((_, i) => i !== index))}
            />
          </div>
        )
      })}
      {goals.length < MOST_GOALS && (
        <div>
          <Button
            small
            kind="quiet"
            icon="plus"
            onClick={() =>
              set([...goals, { label: goals.length === 0 ? 'Goal' : `Goal ${goals.length + 1}`, value: 100 }])
            }
          >
            Add a goal line
          </Button>
        </div>
      )}
    </div>
  )
}
