import type { FormEvent } from 'react'
import { Button, TextField } from '../../ui/controls.tsx'
import { Icon } from '../../ui/icon.tsx'
import { MenuItem, Popover } from '../../ui/popover.tsx'

const RANGES: readonly { from: string; to?: string; label: string }[] = [
  { from: 'dStart', label: 'Today' },
  { from: '-1dStart', to: '-1dEnd', label: 'Yesterday' },
  { from: '-24h', label: 'Last 24 hours' },
  { from: '-7d', label: 'Last 7 days' },
  { from: '-14d', label: 'Last 14 days' },
  { from: '-30d', label: 'Last 30 days' },
  { from: '-90d', label: 'Last 90 days' },
  { from: '-180d', label: 'Last 180 days' },
  { from: 'mStart', label: 'This month' },
  { from: '-1mStart', to: '-1mEnd', label: 'Last month' },
  { from: 'yStart', label: 'This year' },
  { from: 'all', label: 'All time' },
]

const rangeLabel = (from: string, to?: string): string =>
  from === ''
    ? 'Dates of each insight'
    : (RANGES.find((range) => range.from === from && range.to === to)?.label ??
      `${from}${to ? ` to ${to}` : ' to now'}`)

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
      width={320}
      trigger={(props) => (
        <Button icon="calendar" {...props}>
          {rangeLabel(from, to)}
        </Button>
      )}
    >
      {(close) => (
        <div className="menu">
          {RANGES.map((range) => (
            <MenuItem
              key={range.label}
              onClick={() => {
                onChange(range.from, range.to)
                close()
              }}
            >
              <span className="grow">{range.label}</span>
              {range.from === from && range.to === to && <Icon name="check" size={15} />}
            </MenuItem>
          ))}
          <div className="menu-line" />
          <Custom
            onPick={(begin, end) => {
              onChange(begin, end)
              close()
            }}
          />
          <p className="tiny soft" style={{ padding: '4px 10px' }}>
            Days of {zone}
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
        Use these days
      </Button>
    </form>
  )
}
