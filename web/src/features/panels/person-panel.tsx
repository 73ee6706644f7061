import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { person as personQuery } from '../../api/queries.ts'
import { ago } from '../../lib/format.ts'
import { lastSeenOf, personName } from '../../lib/names.ts'
import { Avatar } from '../../ui/controls.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PropertyTable } from '../../ui/properties.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Timeline } from '../persons/index.ts'

export function PersonPanel({ id }: { id: string }) {
  const project = useProject()
  const params = useProjectParams()
  const { data: person, error, refetch } = useQuery(personQuery(project.id, id))
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (!person) return <SkeletonRows rows={8} />
  return (
    <div className="stack-l">
      <div className="row" style={{ gap: 12 }}>
        <Avatar name={personName(person)} size={40} />
        <div className="grow">
          <p className="strong truncate">{personName(person)}</p>
          <p className="soft tiny">
            first seen {ago(person.created_at)}, last seen {ago(lastSeenOf(person) ?? person.created_at)}
          </p>
        </div>
        <Link
          to="/project/$projectId/persons/$personId"
          params={{ ...params, personId: person.uuid }}
          className="button button-plain button-small"
        >
          Open person <Icon name="arrow" size={14} />
        </Link>
      </div>
      <section className="stack">
        <h3>Properties</h3>
        <PropertyTable properties={person.properties ?? {}} fold />
      </section>
      <section className="stack">
        <h3>Latest events</h3>
        <Timeline of={{ person_id: person.uuid }} limit={40} />
      </section>
    </div>
  )
}
