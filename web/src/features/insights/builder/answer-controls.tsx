import { Select } from '../../../ui/controls.tsx'
import { type Display, type Draft, defaultFrom, type Interval } from '../draft.ts'
import { DateRange } from './date-range.tsx'
import { without } from './without.ts'

const DISPLAYS: { value: Display; label: string }[] = [
  { value: 'line', label: 'Line' },
  { value: 'area', label: 'Area' },
  { value: 'bar', label: 'Bars' },
  { value: 'cumulative', label: 'Cumulative' },
  { value: 'number', label: 'Number' },
  { value: 'ranking', label: 'Ranking' },
  { value: 'pie', label: 'Pie' },
  { value: 'table', label: 'Table' },
]

const VIZ = [
  { value: 'steps', label: 'Steps' },
  { value: 'trends', label: 'Conversion over time' },
  { value: 'time_to_convert', label: 'Time to convert' },
]

/** Above the chart: from when to when, in which steps, drawn how. */
export function AnswerControls({
  draft,
  zone,
  onChange,
}: {
  draft: Draft
  zone: string
  onChange: (draft: Draft) => void
}) {
  const timed =
    (draft.kind === 'trends' && !isTotal(draft)) ||
    draft.kind === 'lifecycle' ||
    draft.kind === 'stickiness' ||
    draft.viz === 'trends'
  return (
    <div className="answer-controls">
      {draft.kind === 'retention' ? (
        <RetentionTime draft={draft} onChange={onChange} />
      ) : (
        <DateRange
          from={draft.from ?? defaultFrom(draft.kind)}
          to={draft.to}
          zone={zone}
          onChange={(from, to) => onChange({ ...without(draft, 'to', to), from })}
        />
      )}
      {timed && (
        <Select
          label="Interval"
          value={draft.interval ?? 'day'}
          options={['hour', 'day', 'week', 'month'].map((interval) => ({ value: interval, label: `by ${interval}` }))}
          onChange={(event) => onChange({ ...draft, interval: event.target.value as Interval })}
        />
      )}
      <span className="grow" />
      {draft.kind === 'trends' && (
        <Select
          label="Display"
          value={draft.display ?? 'line'}
          options={DISPLAYS}
          onChange={(event) => onChange({ ...draft, display: event.target.value as Display })}
        />
      )}
      {draft.kind === 'funnel' && (
        <Select
          label="Display"
          value={draft.viz ?? 'steps'}
          options={VIZ}
          onChange={(event) => onChange({ ...draft, viz: event.target.value as NonNullable<Draft['viz']> })}
        />
      )}
    </div>
  )
}

const isTotal = ({ display }: Draft): boolean =>
  display === 'number' || display === 'ranking' || display === 'pie' || display === 'table'

function RetentionTime({ draft, onChange }: { draft: Draft; onChange: (draft: Draft) => void }) {
  const period = draft.period ?? 'Day'
  return (
    <>
      <Select
        label="How many"
        value={String(draft.intervals ?? 8)}
        options={[5, 8, 11, 14].map((count) => ({
          value: String(count),
          label: `The last ${count} ${period.toLowerCase()}s`,
        }))}
        onChange={(picked) => onChange({ ...draft, intervals: Number(picked.target.value) })}
      />
      <Select
        label="Period"
        value={period}
        options={['Day', 'Week', 'Month'].map((one) => ({ value: one, label: `by ${one.toLowerCase()}` }))}
        onChange={(picked) => onChange({ ...draft, period: picked.target.value as NonNullable<Draft['period']> })}
      />
    </>
  )
}
