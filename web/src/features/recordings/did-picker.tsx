import { useQuery } from '@tanstack/react-query'
import { useProject } from '../../api/project.tsx'
import { eventDefinitions } from '../../api/queries.ts'
import { short } from '../../lib/format.ts'
import { eventName } from '../../lib/names.ts'
import { Button } from '../../ui/controls.tsx'
import { Picker } from '../../ui/picker.tsx'

/** An event that must be in the recording. */
export function DidPicker({ onPick }: { onPick: (name: string) => void }) {
  const project = useProject()
  const { data, isPending } = useQuery({
    ...eventDefinitions(project.id, { limit: 500, exclude_hidden: true }),
    staleTime: 60_000,
  })
  return (
    <Picker
      label="Events"
      loading={isPending}
      choices={(data?.results ?? []).map(({ name, count }) => ({
        value: name,
        label: eventName(name),
        ...(eventName(name) === name ? {} : { hint: name }),
        ...(count ? { note: short(count) } : {}),
      }))}
      onPick={onPick}
      trigger={(props) => (
        <Button small kind="quiet" icon="filter" {...props}>
          Event
        </Button>
      )}
    />
  )
}
