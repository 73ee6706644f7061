import { type FormEvent, useId, useState } from 'react'
import { RANGES, type RangeProblem, rangeDates, rangeLabel, rangeProblem } from '../../../lib/ranges.ts'
import { Button, TextField } from '../../../ui/controls.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Popover } from '../../../ui/popover.tsx'

const labelOf = (from: string, to: string | undefined, zone: string): string =>
  from === '' ? 'Dates of each insight' : rangeLabel({ from, to }, zone)

/** A range that cannot be is said right here; who asks with it looks at `rangeProblem` and does not. */
export function DateRange({
  from,
  to,
  zone,
  onChange,
}: {
  from: string
  to?: string | undefined
  zone: string
  onChange: (from: string, to?: string) => void
}) {
  const id = useId()
  const problem = rangeProblem({ from, to }, zone)
  const picker = (
    <Popover
      label="Date range"
      width={360}
      trigger={(props) => (
        <Button
          icon="calendar"
          title={rangeDates({ from, to }, zone) ?? undefined}
          className={problem ? 'date-range-wrong' : ''}
          aria-describedby={problem ? id : undefined}
          {...props}
        >
          <span className="truncate">{labelOf(from, to, zone)}</span>
        </Button>
      )}
    >
      {(close) => (
        <div className="menu">
          {RANGES.map((range) => (
            <button
              type="button"
              className="menu-item"
              key={range.label}
              onClick={() => {
                onChange(range.from, range.to)
                close()
              }}
            >
              <span className="grow">{range.label}</span>
              <span className="tiny soft">{rangeDates(range, zone)}</span>
              {range.from === from && range.to === to && <Icon name="check" size={15} />}
            </button>
          ))}
          <div className="menu-line" />
          <Custom
            from={from}
            to={to}
            zone={zone}
            onPick={(begin, end) => {
              onChange(begin, end)
              close()
            }}
          />
          <p className="tiny soft" style={{ padding: '4px 10px' }}>
            Days are in {zone}. The last days include today.
          </p>
        </div>
      )}
    </Popover>
  )
  return (
    <span className="date-range">
      {picker}
      {problem && (
        <span id={id} className="field-error" role="alert">
          {problem.text}
        </span>
      )}
    </span>
  )
}

const dayOf = (text: string | undefined): string => (text && /^\d{4}-\d{2}-\d{2}/.exec(text)?.[0]) || ''

function Custom({
  from,
  to,
  zone,
  onPick,
}: {
  from: string
  to: string | undefined
  zone: string
  onPick: (from: string, to: string) => void
}) {
  const [problem, setProblem] = useState<RangeProblem | null>(null)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const [begin, end] = [String(form.get('from')), String(form.get('to'))]
    const wrong = missing('from', begin) ?? missing('to', end) ?? rangeProblem({ from: begin, to: end }, zone)
    setProblem(wrong)
    if (!wrong) onPick(begin, end)
  }
  const said = (field: 'from' | 'to') => (problem?.field === field ? { error: problem.text } : {})
  return (
    <form className="custom-range" onSubmit={submit} noValidate>
      <TextField label="From" name="from" type="date" defaultValue={dayOf(from)} max={LAST} {...said('from')} />
      <TextField label="To" name="to" type="date" defaultValue={dayOf(to)} max={LAST} {...said('to')} />
      <Button type="submit" small>
        Apply
      </Button>
    </form>
  )
}

/** Keeps the year at four digits while it is typed. */
const LAST = '9999-12-31'

/** A date field has no text until the whole date is typed. */
const missing = (field: 'from' | 'to', text: string): RangeProblem | null =>
  text === '' ? { field, text: `Type the ${field === 'from' ? 'first' : 'last'} day.` } : null
