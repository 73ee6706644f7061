import { useState } from 'react'
import { number, valueText } from '../lib/format.ts'
import type { Properties } from '../lib/json.ts'
import { propertyName } from '../lib/names.ts'
import './properties.css'

const SEARCH_FROM = 12

/** Names and values, custom properties before those the SDK adds; `fold` hides the latter behind a button. */
export function PropertyTable({
  properties,
  onEdit,
  fold,
}: {
  properties: Properties
  onEdit?: (key: string) => void
  fold?: boolean
}) {
  const [search, setSearch] = useState('')
  const [unfolded, setUnfolded] = useState(false)
  const all = Object.entries(properties).sort(
    ([a], [b]) => Number(a.startsWith('$')) - Number(b.startsWith('$')) || a.localeCompare(b),
  )
  const wanted = search.toLowerCase()
  const own = all.filter(([key]) => !key.startsWith('$'))
  const folded = fold === true && !unfolded && wanted === '' && own.length > 0 && own.length < all.length
  const shown = (folded ? own : all).filter(([key, value]) =>
    `${key} ${propertyName(key)} ${valueText(value)}`.toLowerCase().includes(wanted),
  )
  if (all.length === 0) return <p className="small soft">No properties.</p>
  return (
    <div className="properties">
      {all.length >= SEARCH_FROM && (
        <input
          className="input"
          placeholder={`Search ${number(all.length)} properties`}
          aria-label="Search properties"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      )}
      <dl className="properties-list">
        {shown.map(([key, value]) => (
          <div key={key} className="properties-row">
            <dt className="truncate" title={key}>
              {propertyName(key)}
            </dt>
            <dd className={`properties-value ${typeof value === 'object' ? 'mono tiny' : ''}`}>
              {onEdit ? (
                <button type="button" className="properties-edit" onClick={() => onEdit(key)} title={`Edit ${key}`}>
                  <Value value={value} cut />
                </button>
              ) : (
                <Value value={value} />
              )}
            </dd>
          </div>
        ))}
      </dl>
      {shown.length === 0 && <p className="small soft">No matches.</p>}
      {folded && (
        <button type="button" className="properties-more" onClick={() => setUnfolded(true)}>
          Show {number(all.length - own.length)} set by the SDK
        </button>
      )}
    </div>
  )
}

const LONG = 400

/** A long value is shortened, with a button to show all of it; with `cut` there is no button. */
function Value({ value, cut }: { value: Properties[string]; cut?: boolean }) {
  const [whole, setWhole] = useState(false)
  if (value === '') return <span className="faint">(empty)</span>
  if (value === null) return <span className="faint">null</span>
  const text = valueText(value)
  if (whole || text.length <= LONG * 1.5) return <>{text}</>
  return (
    <>
      {text.slice(0, LONG)}…{' '}
      {cut ? (
        <span className="faint">{number(text.length)} characters</span>
      ) : (
        <button type="button" className="properties-more" onClick={() => setWhole(true)}>
          Show all {number(text.length)} characters
        </button>
      )}
    </>
  )
}
