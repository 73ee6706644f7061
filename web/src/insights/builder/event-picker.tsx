import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { eventDefinitions } from '../../api/queries.ts'
import type { EventDefinition } from '../../api/types.ts'
import { useProject } from '../../frame/project.tsx'
import { short } from '../../lib/format.ts'
import { eventName } from '../../lib/names.ts'
import { Icon } from '../../ui/icon.tsx'
import { type Choice, Picker } from '../../ui/picker.tsx'
import type { TriggerProps } from '../../ui/popover.tsx'

const volumeOf = ({ volume_30_day, count }: EventDefinition): number => volume_30_day ?? count ?? 0
const ANY = '\u0000any'

/** Events, the most frequent first. */
export function EventPicker({
  value,
  onPick,
  any = true,
  label = 'Events',
  trigger,
}: {
  value: string | null | undefined
  onPick: (event: string | null) => void
  any?: boolean
  label?: string
  /** Instead of a button with the chosen event on it. */
  trigger?: (props: TriggerProps) => ReactNode
}) {
  const project = useProject()
  const { data, isPending } = useQuery({
    ...eventDefinitions(project.id, { limit: 500, exclude_hidden: true }),
    staleTime: 60_000,
  })
  const known = [...(data?.results ?? [])].sort((a, b) => volumeOf(b) - volumeOf(a))
  const choices: Choice[] = [
    ...(any ? [{ value: ANY, label: 'Any event' }] : []),
    ...known
      .map((definition) => ({ name: definition.name, volume: volumeOf(definition) }))
      .map(({ name, volume }) => ({
        value: name,
        label: eventName(name),
        ...(eventName(name) === name ? {} : { hint: name }),
        ...(volume ? { note: short(volume) } : {}),
      })),
  ]
  return (
    <Picker
      label={label}
      choices={choices}
      loading={isPending}
      free={(text) => ({ value: text, label: `"${text}"`, group: 'As typed' })}
      onPick={(picked) => onPick(picked === ANY ? null : picked)}
      trigger={
        trigger ??
        ((props) => (
          <button type="button" className="pick" {...props}>
            <span className="truncate">{value === undefined ? 'Choose an event' : eventName(value)}</span>
            <Icon name="down" size={14} className="faint" />
          </button>
        ))
      }
    />
  )
}
