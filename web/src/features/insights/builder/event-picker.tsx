import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import type { EventDefinition } from '../../../api/contract.ts'
import { useProject } from '../../../api/project.tsx'
import { actions, eventDefinitions } from '../../../api/queries.ts'
import { short } from '../../../lib/format.ts'
import { eventName } from '../../../lib/names.ts'
import type { Choice } from '../../../ui/choice-list.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Picker } from '../../../ui/picker.tsx'
import type { TriggerProps } from '../../../ui/popover.tsx'
import './builder.css'

const volumeOf = ({ count }: EventDefinition): number => count
const ANY = '\u0000any'
const ACTION = '\u0000action '

/** Events, the most frequent first. */
export function EventPicker({
  value,
  name,
  onPick,
  onPickAction,
  any = true,
  label = 'Events',
  trigger,
}: {
  value: string | null | undefined
  /** What is shown instead of the event's name: an action's. */
  name?: string | undefined
  onPick: (event: string | null) => void
  /** Actions are offered too. */
  onPickAction?: (action: number, name: string) => void
  any?: boolean
  label?: string
  /** Instead of a button with the chosen event on it. */
  trigger?: (props: TriggerProps) => ReactElement
}) {
  const project = useProject()
  const { data, isPending } = useQuery({
    ...eventDefinitions(project.id, { limit: 500, exclude_hidden: true }),
    staleTime: 60_000,
  })
  const named = useQuery({ ...actions(project.id, { limit: 500 }), enabled: !!onPickAction, staleTime: 60_000 })
  const nameOf = ({ id, name }: { id: number; name: string | null }) => name || `Action ${id}`
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
    ...(onPickAction ? (named.data?.results ?? []) : []).map((one) => ({
      value: `${ACTION}${one.id}`,
      label: nameOf(one),
      group: 'Actions',
    })),
  ]
  const pick = (picked: string) => {
    const action = named.data?.results.find(({ id }) => `${ACTION}${id}` === picked)
    if (action && onPickAction) onPickAction(action.id, nameOf(action))
    else onPick(picked === ANY ? null : picked)
  }
  return (
    <Picker
      label={label}
      choices={choices}
      loading={isPending}
      free={(text) => ({ value: text, label: `"${text}"`, group: 'As typed' })}
      onPick={pick}
      trigger={
        trigger ??
        ((props) => (
          <button type="button" className="pick" {...props}>
            <span className="truncate">{name ?? (value === undefined ? 'Choose an event' : eventName(value))}</span>
            <Icon name="down" size={14} className="faint" />
          </button>
        ))
      }
    />
  )
}
