import type { FormEvent } from 'react'
import { RANGES, rangeDates, rangeLabel } from '../../../lib/ranges.ts'
import { Button, TextField } from '../../../ui/controls.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Popover } from '../../../ui/popover.tsx'

const labelOf = (from: string, to: string | undefined, zone: string): string =>
  from === '' ? 'Dates of each insight' : rangeLabel({ from, to }, zone)

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
  return (
    <Popover
      label="Date range"
      width={360}
      trigger={(props) => (
        <Button icon="calendar" title={rangeDates({ from, to }, zone) ?? undefined} {...props}>
          {labelOf(from, to, zone)}
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
}

function Custom({ onPick }: { onPick: (from: string, to: string) => void }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    onPick(String(form.get('from')), String(form.get('to')))
  }
  return (
    <form className="custom-range" onSubmit={submit}>
      <TextField label="From" name="from" type="date" required />
      <TextField label="To" name="to" type="date" required />
      <Button type="submit" small>
        Apply
      </Button>
    </form>
  )
}
