import { Autocomplete } from '@base-ui/react/autocomplete'
import './picker.css'

export interface Choice {
  value: string
  label: string
  /** Small, at the right: how many, how often. */
  note?: string | undefined
  /** Under the label: sample values, the raw name. */
  hint?: string | undefined
  group?: string | undefined
}

/** A search box above a list to choose from: arrows move, Enter takes. The order is the caller's: best first. */
export function ChoiceList<C extends Choice>({
  label,
  placeholder,
  search,
  onSearch,
  choices,
  onPick,
  loading,
}: {
  label: string
  placeholder: string
  search: string
  onSearch: (text: string) => void
  /** Those that match what is searched for. */
  choices: readonly C[]
  onPick: (choice: C) => void
  loading?: boolean
}) {
  return (
    <div className="picker">
      <Autocomplete.Root
        inline
        open
        mode="none"
        autoHighlight="always"
        keepHighlight
        items={choices}
        value={search}
        onValueChange={(text, { reason }) => {
          // Choosing an item would write it into the box.
          if (reason !== 'item-press') onSearch(text)
        }}
        itemToStringValue={({ label: text }) => text}
      >
        <Autocomplete.Input className="picker-search" placeholder={placeholder} aria-label={label} autoFocus />
        <Autocomplete.Empty className="picker-none">{loading ? 'Loading' : 'No matches.'}</Autocomplete.Empty>
        <Autocomplete.List className="picker-list" aria-label={label}>
          {groupsOf(choices).map(({ name, members }) => (
            <Autocomplete.Group key={name}>
              {name !== '' && <Autocomplete.GroupLabel className="picker-group">{name}</Autocomplete.GroupLabel>}
              {members.map((choice) => (
                <Autocomplete.Item
                  key={choice.value}
                  value={choice}
                  className="picker-choice"
                  onClick={() => onPick(choice)}
                >
                  <span className="picker-main">
                    <span className="truncate">{choice.label}</span>
                    {choice.hint && <span className="picker-hint truncate">{choice.hint}</span>}
                  </span>
                  {choice.note && <span className="picker-note">{choice.note}</span>}
                </Autocomplete.Item>
              ))}
            </Autocomplete.Group>
          ))}
        </Autocomplete.List>
      </Autocomplete.Root>
    </div>
  )
}

/** Groups neighbouring choices under the name of their group. */
function groupsOf<C extends Choice>(choices: readonly C[]): { name: string; members: C[] }[] {
  const groups: { name: string; members: C[] }[] = []
  for (const choice of choices) {
    const last = groups.at(-1)
    if (last && last.name === (choice.group ?? '')) last.members.push(choice)
    else groups.push({ name: choice.group ?? '', members: [choice] })
  }
  return groups
}
