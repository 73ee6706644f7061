import { Button, Checkbox, Select, TextField } from '../../../ui/controls.tsx'
import { type Draft, hasBreakdown } from '../draft.ts'
import { BreakdownPart } from './breakdown-part.tsx'
import { ChartOptions } from './chart-options.tsx'
import { Compare } from './compare.tsx'
import { EventPicker } from './event-picker.tsx'
import { FilterPart } from './filter-part.tsx'
import { SeriesEditor } from './series-editor.tsx'
import { without } from './without.ts'
import './builder.css'

/** The query builder. Every change is asked at once. */
export function Builder({ draft, onChange }: { draft: Draft; onChange: (draft: Draft) => void }) {
  return (
    <aside className="builder" aria-label="Query builder">
      {draft.kind === 'retention' ? (
        <RetentionOptions draft={draft} onChange={onChange} />
      ) : draft.kind === 'paths' ? (
        <PathOptions draft={draft} onChange={onChange} />
      ) : (
        <SeriesEditor draft={draft} onChange={onChange} />
      )}
      <FilterPart draft={draft} onChange={onChange} />
      {hasBreakdown(draft.kind) && <BreakdownPart draft={draft} onChange={onChange} />}
      {draft.kind === 'trends' && <TrendOptions draft={draft} onChange={onChange} />}
      {draft.kind === 'trends' && <ChartOptions draft={draft} onChange={onChange} />}
      {draft.kind === 'funnel' && <FunnelOptions draft={draft} onChange={onChange} />}
      {draft.kind === 'stickiness' && (
        <section className="builder-part" aria-label="More options">
          <Compare draft={draft} onChange={onChange} />
        </section>
      )}
    </aside>
  )
}

type Part = { draft: Draft; onChange: (draft: Draft) => void }

const SMOOTHING = [1, 3, 7, 14, 28]

function TrendOptions({ draft, onChange }: Part) {
  return (
    <details
      className="builder-part"
      open={draft.compare || draft.formula !== undefined || draft.smoothing !== undefined}
    >
      <summary>More options</summary>
      <div className="stack" style={{ gap: 12, paddingTop: 8 }}>
        <Compare draft={draft} onChange={onChange} />
        <Select
          label="Smoothing"
          hideLabel={false}
          value={String(draft.smoothing ?? 1)}
          options={[...new Set([...SMOOTHING, draft.smoothing ?? 1])]
            .sort((a, b) => a - b)
            .map((count) => ({
              value: String(count),
              label: count === 1 ? 'None' : `Mean over ${count} ${draft.interval ?? 'day'}s`,
            }))}
          onChange={({ target: { value } }) =>
            onChange(without(draft, 'smoothing', value === '1' ? undefined : Number(value)))
          }
        />
        <TextField
          label="Formula"
          placeholder="B / A * 100"
          value={draft.formula ?? ''}
          onChange={(event) => onChange(without(draft, 'formula', event.target.value || undefined))}
          hint="A, B and so on are the series above."
        />
      </div>
    </details>
  )
}

function FunnelOptions({ draft, onChange }: Part) {
  return (
    <section className="builder-part" aria-label="Funnel options">
      <h3>Conversion window</h3>
      <div className="row">
        <input
          className="input"
          type="number"
          min={1}
          aria-label="Length of the conversion window"
          style={{ width: 72 }}
          value={draft.window ?? 14}
          onChange={(event) => onChange({ ...draft, window: Math.max(1, Number(event.target.value) || 1) })}
        />
        <Select
          label="Unit of the conversion window"
          value={draft.windowUnit ?? 'day'}
          options={['minute', 'hour', 'day', 'week'].map((unit) => ({ value: unit, label: `${unit}s` }))}
          onChange={(event) =>
            onChange({ ...draft, windowUnit: event.target.value as NonNullable<Draft['windowUnit']> })
          }
        />
      </div>
      <Select
        label="Order of steps"
        hideLabel={false}
        value={draft.order ?? 'ordered'}
        options={[
          { value: 'ordered', label: 'In this order' },
          { value: 'strict', label: 'In this order, with nothing in between' },
          { value: 'unordered', label: 'In any order' },
        ]}
        onChange={(event) => onChange({ ...draft, order: event.target.value as NonNullable<Draft['order']> })}
      />
      <Compare draft={draft} onChange={onChange} />
    </section>
  )
}

function RetentionOptions({ draft, onChange }: Part) {
  const event = draft.series[0]?.event
  return (
    <section className="builder-part" aria-label="Retention">
      <h3>People who did</h3>
      <EventPicker
        value={event === undefined ? null : event}
        name={draft.series[0]?.action === undefined ? undefined : draft.series[0]?.name}
        onPick={(picked) => onChange({ ...draft, series: [{ event: picked }] })}
        onPickAction={(action, name) => onChange({ ...draft, series: [{ event: null, action, name }] })}
      />
      <Select
        label="Which time"
        value={draft.firstTime === false ? 'any' : 'first'}
        options={[
          { value: 'first', label: 'for the first time' },
          { value: 'any', label: 'at any time' },
        ]}
        onChange={(picked) => onChange({ ...draft, firstTime: picked.target.value === 'first' })}
      />
      <h3>and returned to do</h3>
      <EventPicker
        value={draft.returning === undefined ? (event ?? null) : draft.returning}
        onPick={(picked) => onChange({ ...draft, returning: picked })}
      />
    </section>
  )
}

const PATH_TYPES = [
  { value: '$pageview', label: 'Page views' },
  { value: '$screen', label: 'Screens' },
  { value: 'custom_event', label: 'Custom events' },
]

function PathOptions({ draft, onChange }: Part) {
  const types = draft.pathTypes ?? ['$pageview']
  const toggle = (type: string, on: boolean) =>
    onChange({ ...draft, pathTypes: on ? [...types, type] : types.filter((other) => other !== type) })
  return (
    <section className="builder-part" aria-label="Paths">
      <h3>Include</h3>
      {PATH_TYPES.map(({ value, label }) => (
        <Checkbox key={value} checked={types.includes(value)} onChange={(event) => toggle(value, event.target.checked)}>
          {label}
        </Checkbox>
      ))}
      <TextField
        label="Starting at"
        placeholder="/pricing, or an event"
        value={draft.startPoint ?? ''}
        onChange={(event) => onChange(without(draft, 'startPoint', event.target.value || undefined))}
      />
      <TextField
        label="Ending at"
        placeholder="anywhere"
        value={draft.endPoint ?? ''}
        onChange={(event) => onChange(without(draft, 'endPoint', event.target.value || undefined))}
      />
      <div className="row">
        <Select
          label="Steps"
          hideLabel={false}
          value={String(draft.steps ?? 5)}
          options={[3, 4, 5, 6, 8, 10].map((count) => ({ value: String(count), label: `${count} steps` }))}
          onChange={(event) => onChange({ ...draft, steps: Number(event.target.value) })}
        />
      </div>
      {types.length === 0 && (
        <Button small onClick={() => toggle('$pageview', true)}>
          Choose at least one
        </Button>
      )}
    </section>
  )
}
