import { type FormEvent, useState } from 'react'
import { eventName } from '../../lib/names.ts'
import { Button, Checkbox, IconButton, Select } from '../../ui/controls.tsx'
import { Popover } from '../../ui/popover.tsx'
import { DateRange, FilterList } from '../insights/index.ts'
import { DidPicker } from './did-picker.tsx'
import { DEFAULT_FROM, isNarrowed } from './question.ts'
import type { RecordingSearch } from './search.ts'
import './filter-bar.css'

const LENGTHS = [
  { value: '0', label: 'Any length' },
  { value: '5', label: 'Longer than 5 s' },
  { value: '60', label: 'Longer than 1 min' },
  { value: '300', label: 'Longer than 5 min' },
]

const ORDERS = [
  { value: 'start_time', label: 'Newest first' },
  { value: 'recording_duration', label: 'Longest first' },
  { value: 'active_seconds', label: 'Most active' },
  { value: 'click_count', label: 'Most clicks' },
  { value: 'console_error_count', label: 'Most errors' },
]

/** What recordings must have in them. Every choice asks again at once and is part of the address. */
export function RecordingFilterBar({
  search,
  zone,
  onChange,
}: {
  search: RecordingSearch
  zone: string
  onChange: (change: Partial<RecordingSearch>) => void
}) {
  const { from = DEFAULT_FROM, to, filters = [], did = [], page, errors, longer = '0', order = 'start_time' } = search
  return (
    <section className="recording-filters" aria-label="Filters">
      <div className="row-wrap">
        <DateRange from={from} to={to} zone={zone} onChange={(begin, end) => onChange({ from: begin, to: end })} />
        <Select
          label="Length"
          value={longer}
          options={LENGTHS}
          onChange={(event) => onChange({ longer: event.target.value === '0' ? undefined : event.target.value })}
        />
        <Select
          label="Order"
          value={order}
          options={ORDERS}
          onChange={(event) => onChange({ order: event.target.value })}
        />
        <Checkbox
          checked={search.unseen === true}
          onChange={(event) => onChange({ unseen: event.target.checked || undefined })}
        >
          Not watched yet
        </Checkbox>
        <Checkbox
          checked={errors === true}
          onChange={(event) => onChange({ errors: event.target.checked || undefined })}
        >
          With console errors
        </Checkbox>
        <Checkbox
          checked={search.real === true}
          onChange={(event) => onChange({ real: event.target.checked || undefined })}
        >
          Exclude test accounts
        </Checkbox>
      </div>
      <div className="row-wrap">
        {did.map((name) => (
          <Chip
            key={name}
            label={`did ${eventName(name)}`}
            onRemove={() => onChange({ did: some(did.filter((other) => other !== name)) })}
          />
        ))}
        {page !== undefined && <Chip label={`visited ${page}`} onRemove={() => onChange({ page: undefined })} />}
        <FilterList
          filters={filters}
          types={['event', 'person']}
          label="Property"
          onChange={(next) => onChange({ filters: some(next) })}
        />
        <DidPicker
          onPick={(name) => {
            if (!did.includes(name)) onChange({ did: [...did, name] })
          }}
        />
        {page === undefined && <PageFilter onPick={(visited) => onChange({ page: visited })} />}
        {isNarrowed(search) && (
          <Button
            small
            kind="quiet"
            icon="close"
            onClick={() =>
              onChange({
                filters: undefined,
                did: undefined,
                page: undefined,
                errors: undefined,
                longer: undefined,
                unseen: undefined,
                real: undefined,
              })
            }
          >
            Clear
          </Button>
        )}
      </div>
    </section>
  )
}

const some = <T,>(items: T[]): T[] | undefined => (items.length > 0 ? items : undefined)

function Chip({ label, onRemove }: { label: string; onRemove: () => void }) {
  return (
    <span className="filter">
      <span className="filter-face truncate">{label}</span>
      <IconButton label={`Remove: ${label}`} icon="close" small onClick={onRemove} />
    </span>
  )
}

function PageFilter({ onPick }: { onPick: (page: string) => void }) {
  const [text, setText] = useState('')
  return (
    <Popover
      label="Visited page"
      trigger={(props) => (
        <Button small kind="quiet" icon="filter" {...props}>
          Page
        </Button>
      )}
    >
      {(close) => (
        <form
          className="filter-form"
          onSubmit={(event: FormEvent) => {
            event.preventDefault()
            if (text.trim() === '') return
            onPick(text.trim())
            setText('')
            close()
          }}
        >
          <input
            className="input"
            aria-label="Part of the page's URL"
            placeholder="/pricing"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <Button type="submit" small>
            Visited this page
          </Button>
        </form>
      )}
    </Popover>
  )
}
