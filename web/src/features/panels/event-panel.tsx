import { useQuery } from '@tanstack/react-query'
import { useProject } from '../../api/project.tsx'
import { event as eventQuery } from '../../api/queries.ts'
import { dateTime } from '../../lib/format.ts'
import { eventName, personName } from '../../lib/names.ts'
import { Button } from '../../ui/controls.tsx'
import { PropertyTable } from '../../ui/properties.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { usePanels } from './use-panels.ts'

export function EventPanel({ id }: { id: string }) {
  const project = useProject()
  const panels = usePanels()
  const { data: event, error, refetch } = useQuery(eventQuery(project.id, id))
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (!event) return <SkeletonRows rows={8} />
  return (
    <div className="stack-l">
      <div className="stack">
        <p className="strong">{eventName(event.event)}</p>
        <p className="soft small">
          {dateTime(event.timestamp, project.timezone)} {project.timezone}
        </p>
        {event.person && (
          <Button small icon="persons" onClick={() => panels.open({ to: 'person', id: event.person?.uuid ?? '' })}>
            {personName(event.person)}
          </Button>
        )}
      </div>
      <PropertyTable properties={event.properties} />
    </div>
  )
}
