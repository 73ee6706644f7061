import { propertyName } from '../../../lib/names.ts'
import { Button, Checkbox, IconButton, Select, TextField } from '../../../ui/controls.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Picker } from '../../../ui/picker.tsx'
import { changeKind, type Draft } from '../draft.ts'
import { FilterList } from '../filter-list.tsx'
import { freeProperty, readChoice, usePropertyChoices } from '../property-choices.ts'
import { EventPicker } from './event-picker.tsx'
import { KindTabs } from './kind-tabs.tsx'
import { SeriesEditor } from './series-editor.tsx'
import './builder.css'

/** The query builder. Every change is asked at once. */
export function Builder({ draft, onChange }: { draft: Draft; onChange: (draft: Draft) => void }) {
  return (
    <aside className="builder" aria-label="Query builder">
      <KindTabs kind={draft.kind} onPick={(kind) => onChange(changeKind(draft, kind))} />
      {draft.kind === 'retention' ? (
        <RetentionOptions draft={draft} onChange={onChange} />
      ) : draft.kind === 'paths' ? (
        <PathOptions draft={draft} onChange={onChange} />
      ) : (
        <SeriesEditor draft={draft} onChange={onChange} />
      )}
      <section className="builder-part" aria-label="Filters">
        <h3>Filters</h3>
        <FilterList
          filters={draft.filters ?? []}
          types={['event', 'person', 'group']}
          event={draft.series[0]?.event}
          onChange={(filters) => onChange(without(draft, 'filters', filters.length > 0 ? filters : undefined))}
          label="Add a filter"
        />
        <Checkbox
          checked={draft.testAccounts === true}
          onChange={(event) => onChange(without(draft, 'testAccounts', event.target.checked || undefined))}
        >
          Exclude test accounts
        </Checkbox>
      </section>
      {(draft.kind === 'trends' || draft.kind === 'funnel') && <BreakdownPart draft={draft} onChange={onChange} />}
      {draft.kind === 'trends' && <TrendOptions draft={draft} onChange={onChange} />}
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

/** With the field set, or without it. */
export function without<K extends keyof Draft>(draft: Draft, key: K, value: Draft[K] | undefined): Draft {
  const { [key]: _, ...rest } = draft
  return (value === undefined ? rest : { ...rest, [key]: value }) as Draft
}

function BreakdownPart({ draft, onChange }: Part) {
  const { choices, loading } = usePropertyChoices(['event', 'person', 'group'], draft.series[0]?.event)
  const by = draft.breakdown
  return (
    <section className="builder-part" aria-label="Breakdown">
      <h3>Break down by</h3>
      <div className="row">
        <Picker
          label="Properties"
          choices={choices}
          loading={loading}
          free={freeProperty('event')}
          onPick={(value) => {
            const { name, ...of } = readChoice(value)
            onChange({ ...draft, breakdown: { property: name, ...of } })
          }}
          trigger={(props) => (
            <button type="button" className={`pick ${by ? '' : 'pick-empty'}`} {...props}>
              <span className="truncate">{by ? propertyName(by.property) : 'Choose a property'}</span>
              <Icon name="down" size={14} className="faint" />
            </button>
          )}
        />
        {by && (
          <IconButton
            small
            label="Remove the breakdown"
            icon="close"
            onClick={() => onChange(without(draft, 'breakdown', undefined))}
          />
        )}
      </div>
    </section>
  )
}

function TrendOptions({ draft, onChange }: Part) {
  return (
    <details className="builder-part" open={draft.compare || draft.formula !== undefined}>
      <summary>More options</summary>
      <div className="stack" style={{ paddingTop: 8 }}>
        <Compare draft={draft} onChange={onChange} />
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

function Compare({ draft, onChange }: Part) {
  return (
    <Checkbox
      checked={draft.compare === true}
      onChange={(event) => onChange(without(draft, 'compare', event.target.checked || undefined))}
    >
      Compare with previous period
    </Checkbox>
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
