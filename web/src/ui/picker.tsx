import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Popover, type TriggerProps } from './popover.tsx'
import './picker.css'

export interface Choice {
  value: string
  label: string
  /** Said to the right, small: how many, how often. */
  note?: string
  /** Under the label: sample values, the raw name. */
  hint?: string
  group?: string
}

const MOST_SHOWN = 150

/** A list to choose from, with a search box above: arrows move, Enter takes. The order is the caller's: best first. */
export function Picker({
  label,
  choices,
  onPick,
  trigger,
  loading,
  free,
  align,
  width = 320,
}: {
  label: string
  choices: readonly Choice[]
  onPick: (value: string) => void
  trigger: (props: TriggerProps) => ReactNode
  loading?: boolean
  /** What is typed may be taken as it is. */
  free?: (text: string) => Choice
  align?: 'left' | 'right'
  width?: number
}) {
  return (
    <Popover label={label} trigger={trigger} width={width} {...(align ? { align } : {})}>
      {(close) => (
        <PickerList
          label={label}
          choices={choices}
          loading={loading === true}
          {...(free ? { free } : {})}
          onPick={(value) => {
            onPick(value)
            close()
          }}
        />
      )}
    </Popover>
  )
}

function PickerList({
  label,
  choices,
  onPick,
  loading,
  free,
}: {
  label: string
  choices: readonly Choice[]
  onPick: (value: string) => void
  loading: boolean
  free?: (text: string) => Choice
}) {
  const [search, setSearch] = useState('')
  const [active, setActive] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  // While the list is still on its way, what is typed is a search and not yet a name.
  const shown = withFree(matching(choices, search), search, loading ? undefined : free)

  useEffect(() => input.current?.focus({ preventScroll: true }), [])
  useEffect(() => {
    const row = list.current?.querySelector<HTMLElement>(`[data-index="${active}"]`)
    if (row && list.current) bringIntoSight(row, list.current)
  }, [active])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setActive(Math.min(active + 1, shown.length - 1))
    else if (event.key === 'ArrowUp') setActive(Math.max(active - 1, 0))
    else if (event.key === 'Enter') {
      const choice = shown[active]
      if (choice) onPick(choice.value)
    } else return
    event.preventDefault()
  }

  return (
    <div className="picker">
      <input
        ref={input}
        className="picker-search"
        placeholder={`Search ${label.toLowerCase()}`}
        value={search}
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={shown[active] ? `${id}-${active}` : undefined}
        onChange={(event) => {
          setSearch(event.target.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div className="picker-list" role="listbox" id={id} aria-label={label} ref={list} tabIndex={-1}>
        {shown.map((choice, index) => (
          <div key={`${choice.group ?? ''}/${choice.value}`} role="presentation">
            {choice.group && choice.group !== shown[index - 1]?.group && (
              <div className="picker-group">{choice.group}</div>
            )}
            <div
              id={`${id}-${index}`}
              data-index={index}
              className="picker-choice"
              role="option"
              aria-selected={index === active}
              tabIndex={-1}
              onPointerMove={() => setActive(index)}
              onClick={() => onPick(choice.value)}
              onKeyDown={onKeyDown}
            >
              <span className="picker-main">
                <span className="truncate">{choice.label}</span>
                {choice.hint && <span className="picker-hint truncate">{choice.hint}</span>}
              </span>
              {choice.note && <span className="picker-note">{choice.note}</span>}
            </div>
          </div>
        ))}
      </div>
      {shown.length === 0 && <p className="picker-none">{loading ? 'Loading' : 'No matches.'}</p>}
    </div>
  )
}

/** Scrolls the list, and only the list: the page around it stays where it is. */
function bringIntoSight(row: HTMLElement, list: HTMLElement): void {
  const at = row.getBoundingClientRect()
  const frame = list.getBoundingClientRect()
  if (at.top < frame.top) list.scrollTop -= frame.top - at.top
  else if (at.bottom > frame.bottom) list.scrollTop += at.bottom - frame.bottom
}

function matching(choices: readonly Choice[], search: string): Choice[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = (choice: Choice) => {
    const text = `${choice.label} ${choice.value}`.toLowerCase()
    return words.every((word) => text.includes(word))
  }
  return (words.length === 0 ? [...choices] : choices.filter(fits)).slice(0, MOST_SHOWN)
}

function withFree(shown: Choice[], search: string, free: ((text: string) => Choice) | undefined): Choice[] {
  const text = search.trim()
  if (
    !free ||
    text === '' ||
    shown.some(({ value, label }) => value === text || value.endsWith(`:${text}`) || label === text)
  )
    return shown
  return [...shown, free(text)]
}
