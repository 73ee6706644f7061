import { useState } from 'react'
import { Select } from '../../../ui/controls.tsx'
import type { Draft } from '../draft.ts'
import { without } from './without.ts'

const PERIODS = [
  { value: '', label: 'Do not compare' },
  { value: 'previous', label: 'Previous period' },
  { value: '-1d', label: '1 day earlier' },
  { value: '-1w', label: '1 week earlier' },
  { value: '-1m', label: '1 month earlier' },
  { value: '-1q', label: '1 quarter earlier' },
  { value: '-1y', label: '1 year earlier' },
]
const UNITS = [
  { value: 'h', label: 'hours earlier' },
  { value: 'd', label: 'days earlier' },
  { value: 'w', label: 'weeks earlier' },
  { value: 'm', label: 'months earlier' },
  { value: 'y', label: 'years earlier' },
]
const OTHER = 'other'

/** With the period before, or with the same one any time earlier. */
export function Compare({ draft, onChange }: { draft: Draft; onChange: (draft: Draft) => void }) {
  const chosen = draft.compare ? (draft.compareTo ?? 'previous') : ''
  const known = PERIODS.some(({ value }) => value === chosen)
  const [other, setOther] = useState(!known)
  const set = (compareTo: string | undefined) => onChange({ ...without(draft, 'compareTo', compareTo), compare: true })
  const change = (value: string) => {
    setOther(value === OTHER)
    if (value === '') onChange(without(without(draft, 'compare', undefined), 'compareTo', undefined))
    else if (value === OTHER) set('-2w')
    else set(value === 'previous' ? undefined : value)
  }
  const [, count = '2', unit = 'w'] = /^-?(\d+)([hdwmy])$/.exec(draft.compareTo ?? '') ?? []
  return (
    <>
      <Select
        label="Compare with"
        hideLabel={false}
        value={other && draft.compare ? OTHER : chosen}
        options={[...PERIODS, { value: OTHER, label: 'Another time' }]}
        onChange={(event) => change(event.target.value)}
      />
      {other && draft.compare && (
        <div className="row">
          <input
            className="input"
            type="number"
            min={1}
            max={9999}
            aria-label="How far back"
            style={{ width: 72 }}
            value={count}
            onChange={(event) => set(`-${Math.min(9999, Math.max(1, Number(event.target.value) || 1))}${unit}`)}
          />
          <Select
            label="In hours, days, weeks, months or years"
            value={unit}
            options={UNITS}
            onChange={(event) => set(`-${count}${event.target.value}`)}
          />
        </div>
      )}
    </>
  )
}
