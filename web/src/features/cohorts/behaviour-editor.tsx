import { IconButton, Select } from '../../ui/controls.tsx'
import { EventPicker, FilterList } from '../insights/index.ts'
import {
  type Behaviour,
  type Count,
  type Done,
  type How,
  type Span,
  type SpanUnit,
  whyImpossible,
} from './behaviours.ts'
import './behaviour-editor.css'

const HOW_OPTIONS: { value: How; label: string }[] = [
  { value: 'did', label: 'did' },
  { value: 'not', label: 'did not do' },
  { value: 'times', label: 'did so many times' },
  { value: 'first', label: 'did for the first time' },
  { value: 'sequence', label: 'did in sequence' },
  { value: 'regularly', label: 'did regularly' },
  { value: 'stopped', label: 'stopped doing' },
  { value: 'restarted', label: 'started again to do' },
]
const COUNT_OPTIONS: { value: Count; label: string }[] = [
  { value: 'gte', label: 'at least' },
  { value: 'lte', label: 'at most' },
  { value: 'exact', label: 'exactly' },
]
const UNIT_OPTIONS: { value: SpanUnit; label: string }[] = [
  { value: 'hour', label: 'hours' },
  { value: 'day', label: 'days' },
  { value: 'week', label: 'weeks' },
  { value: 'month', label: 'months' },
  { value: 'year', label: 'years' },
]

/** What somebody did, as a sentence with gaps. */
export function BehaviourEditor({
  behaviour,
  onChange,
  onRemove,
}: {
  behaviour: Behaviour
  onChange: (behaviour: Behaviour) => void
  onRemove: () => void
}) {
  const set = (more: Partial<Behaviour>) => onChange({ ...behaviour, ...more })
  const { how, within, lately, filters, is, times, next, least, periods } = behaviour
  const wrong = whyImpossible(behaviour)
  return (
    <fieldset className="behaviour">
      <legend className="unseen">Behaviour</legend>
      <div className="row-wrap">
        <Select
          label="What they did"
          value={how}
          options={HOW_OPTIONS}
          onChange={(event) => set({ how: event.target.value as How })}
        />
        <DonePicker done={behaviour} onChange={(done) => onChange({ ...withoutAction(behaviour), ...done })} />
        <span className="grow" />
        <IconButton small label="Remove" icon="close" onClick={onRemove} />
      </div>
      <div className="row-wrap small soft">
        {(how === 'times' || how === 'regularly') && (
          <>
            <Select
              label="At least, at most or exactly"
              className="small-select"
              value={is}
              options={COUNT_OPTIONS}
              onChange={(event) => set({ is: event.target.value as Count })}
            />
            <Whole label="How many times" value={times} onChange={(count) => set({ times: count })} />
            <span>{how === 'times' ? 'times' : 'times per'}</span>
          </>
        )}
        {how === 'regularly' ? (
          <>
            <SpanFields label="Length of a period" span={within} onChange={(next) => set({ within: next })} />
            <span>in at least</span>
            <Whole label="In how many periods" value={least} most={100} onChange={(next) => set({ least: next })} />
            <span>of the last</span>
            <Whole label="Of how many periods" value={periods} most={100} onChange={(next) => set({ periods: next })} />
            <span>periods</span>
          </>
        ) : how === 'restarted' ? (
          <>
            <span>in the last</span>
            <SpanFields label="Recent time" span={lately} onChange={(next) => set({ lately: next })} />
            <span>after a pause that began more than</span>
            <SpanFields label="Whole time" span={within} onChange={(next) => set({ within: next })} />
            <span>ago</span>
          </>
        ) : (
          <>
            <span>in the last</span>
            <SpanFields label="Time" span={within} onChange={(next) => set({ within: next })} />
          </>
        )}
        {how === 'stopped' && (
          <>
            <span>but not in the last</span>
            <SpanFields label="Recent time" span={lately} onChange={(next) => set({ lately: next })} />
          </>
        )}
        {how === 'sequence' && (
          <>
            <span>and then</span>
            <DonePicker done={next} onChange={(done) => set({ next: done })} />
            <span>within</span>
            <SpanFields label="Time afterwards" span={lately} onChange={(next) => set({ lately: next })} />
          </>
        )}
      </div>
      <FilterList
        filters={filters}
        types={['event']}
        event={behaviour.event}
        label="Only where"
        onChange={(next) => set({ filters: next })}
      />
      {wrong && (
        <p className="field-error" role="alert">
          {wrong}
        </p>
      )}
    </fieldset>
  )
}

const withoutAction = ({ action: _, name: __, ...behaviour }: Behaviour): Behaviour => behaviour

function DonePicker({ done, onChange }: { done: Done; onChange: (done: Done) => void }) {
  return (
    <EventPicker
      value={done.event}
      name={done.action === undefined ? undefined : done.name}
      any={false}
      onPick={(event) => onChange({ event })}
      onPickAction={(action, name) => onChange({ event: null, action, name })}
    />
  )
}

function SpanFields({ label, span, onChange }: { label: string; span: Span; onChange: (span: Span) => void }) {
  return (
    <span className="row">
      <Whole label={label} value={span.count} onChange={(count) => onChange({ ...span, count })} />
      <Select
        label={`${label}: unit`}
        className="small-select"
        value={span.unit}
        options={UNIT_OPTIONS}
        onChange={(event) => onChange({ ...span, unit: event.target.value as SpanUnit })}
      />
    </span>
  )
}

function Whole({
  label,
  value,
  most = 3650,
  onChange,
}: {
  label: string
  value: number
  most?: number
  onChange: (value: number) => void
}) {
  return (
    <input
      className="input behaviour-number"
      type="number"
      min={1}
      max={most}
      aria-label={label}
      value={value}
      onChange={(event) => onChange(Math.min(most, Math.max(1, Math.round(Number(event.target.value)) || 1)))}
    />
  )
}
