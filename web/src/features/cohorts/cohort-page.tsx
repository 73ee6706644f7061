import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { Page as Listing, Person } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { cohort as cohortQuery } from '../../api/queries.ts'
import { plural } from '../../lib/format.ts'
import { Button } from '../../ui/controls.tsx'
import { Icon } from '../../ui/icon.tsx'
import { MoreMenu } from '../../ui/more-menu.tsx'
import { Page } from '../../ui/page.tsx'
import { LAST_SEEN, PERSON_NAME } from '../../ui/person-columns.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { type Column, Table, TableSkeleton } from '../../ui/table.tsx'
import { emptyDraft } from '../insights/index.ts'
import { useRemoval } from '../lists/index.ts'
import { CohortForm } from './cohort-form.tsx'

const SHOWN = 500

const members = (projectId: number, id: string) =>
  queryOptions({
    queryKey: ['cohort-persons', String(projectId), id],
    queryFn: ({ signal }) =>
      ask<Listing<Person>>(inProject(projectId, `cohorts/${id}/persons/`), { query: { limit: SHOWN }, signal }),
  })

/** One cohort: who is in it right now. */
export function CohortPage() {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const { cohortId = '' } = useParams({ strict: false })
  const [editing, setEditing] = useState(false)
  const close = () => setEditing(false)
  const { data: cohort, error, refetch } = useQuery(cohortQuery(project.id, cohortId))
  const people = useQuery(members(project.id, cohortId))
  const failed = error ?? people.error
  const name = cohort?.name || `Cohort ${cohortId}`
  const removal = useRemoval()
  const remove = () =>
    removal.mutate({
      path: inProject(project.id, `cohorts/${cohortId}/`),
      name,
      note: 'Insights that filter by it report that it is missing.',
      keys: ['cohort', 'cohorts', 'cohort-persons'],
      leave: () => navigate({ to: '/project/$projectId/cohorts', params, replace: true }),
    })
  return (
    <Page
      title={cohort ? name : 'Cohort'}
      sub={people.data ? `${plural(people.data.count, 'person', 'people')} now` : ' '}
      actions={
        cohort && (
          <>
            <Link
              to="/project/$projectId/insights/new"
              params={params}
              search={{
                q: {
                  ...emptyDraft('trends'),
                  filters: [{ key: 'id', type: 'cohort', operator: 'in', value: cohort.id }],
                },
              }}
              className="button button-plain"
            >
              <Icon name="insights" size={16} /> Show as trend
            </Link>
            <Button icon="edit" onClick={() => setEditing(true)}>
              Change
            </Button>
            <MoreMenu items={[{ icon: 'trash', label: 'Delete', does: remove, danger: true }]} />
          </>
        )
      }
    >
      {failed ? (
        <ErrorState error={failed} retry={() => Promise.all([refetch(), people.refetch()])} />
      ) : !people.data || !cohort ? (
        <TableSkeleton columns={COLUMNS} rows={10} />
      ) : people.data.results.length === 0 ? (
        <EmptyState icon="persons" title="No persons in this cohort">
          {cohort.is_static ? 'Edit the cohort to add persons.' : 'Nobody matches its criteria right now.'}
        </EmptyState>
      ) : (
        <Table
          label="Persons in the cohort"
          columns={COLUMNS}
          rows={people.data.results}
          rowKey={({ uuid }) => uuid}
          height={720}
          link={({ uuid }) => (
            <Link to="/project/$projectId/persons/$personId" params={{ ...params, personId: uuid }} />
          )}
        />
      )}
      {editing && cohort && <CohortForm cohort={cohort} onDone={close} onClose={close} />}
    </Page>
  )
}

const COLUMNS: Column<Person>[] = [
  PERSON_NAME,
  { id: 'ids', header: 'Distinct id', spare: true, cell: ({ distinct_ids }) => distinct_ids[0] ?? '' },
  LAST_SEEN,
]
