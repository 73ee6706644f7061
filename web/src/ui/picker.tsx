import { type ReactElement, useState } from 'react'
import { type Choice, ChoiceList } from './choice-list.tsx'
import { Popover, type TriggerProps } from './popover.tsx'

const MOST_SHOWN = 150

/** A button that opens a list to choose from, with a search box above it. */
export function Picker({
  label,
  choices,
  onPick,
  trigger,
  loading = false,
  free,
  align,
  width = 320,
}: {
  label: string
  choices: readonly Choice[]
  onPick: (value: string) => void
  trigger: (props: TriggerProps) => ReactElement
  loading?: boolean
  /** Offers the typed text itself as a choice. */
  free?: (text: string) => Choice
  align?: 'left' | 'right'
  width?: number
}) {
  return (
    <Popover label={label} trigger={trigger} width={width} {...(align ? { align } : {})}>
      {(close) => (
        <Choices
          label={label}
          choices={choices}
          loading={loading}
          free={free}
          onPick={({ value }) => {
            onPick(value)
            close()
          }}
        />
      )}
    </Popover>
  )
}

function Choices({
  label,
  choices,
  loading,
  free,
  onPick,
}: {
  label: string
  choices: readonly Choice[]
  loading: boolean
  free: ((text: string) => Choice) | undefined
  onPick: (choice: Choice) => void
}) {
  const [search, setSearch] = useState('')
  // Half a list would change under a pointer, and Enter would take what only comes first for a moment.
  const shown = loading ? [] : withFree(matching(choices, search), search, free)
  return (
    <ChoiceList
      label={label}
      placeholder={`Search ${label.toLowerCase()}`}
      search={search}
      onSearch={setSearch}
      choices={shown}
      onPick={onPick}
      loading={loading}
    />
  )
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
