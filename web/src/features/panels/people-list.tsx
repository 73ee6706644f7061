import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { groupTypes } from '../../api/queries.ts'
import { ago, dateTime } from '../../lib/format.ts'
import { groupWords } from '../../lib/names.ts'
import { Avatar, Button } from '../../ui/controls.tsx'
import { EmptyState, Skeleton } from '../../ui/states.tsx'
import { type Actor, askActors, keyProperties } from './actors.ts'
import { usePanels } from './use-panels.ts'
import './panels.css'

interface More {
  show: () => void
  busy: boolean
}

/** The people behind a number, page by page. */
export function useActors(source: unknown) {
  const project = useProject()
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage, refetch } = useInfiniteQuery({
    queryKey: ['actors', String(project.id), source],
    queryFn: ({ signal, pageParam }) => askActors(project.id, source, pageParam, signal),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
  })
  const more: More | undefined = hasNextPage
    ? { show: () => void fetchNextPage(), busy: isFetchingNextPage }
    : undefined
  return {
    actors: data?.pages.flatMap((page) => page.actors) ?? [],
    known: data !== undefined,
    error,
    refetch,
    more,
  }
}

/** Singular and plural: person and people, or the names of a group type. */
export function useActorWords(actors: readonly Actor[]): readonly [one: string, many: string] {
  const types = useGroupTypes(actors)
  const [first] = actors
  if (first?.kind !== 'group') return ['person', 'people']
  const type = types.find(({ group_type_index }) => group_type_index === first.groupTypeIndex)
  return type ? groupWords(type) : ['group', 'groups']
}

function useGroupTypes(actors: readonly Actor[]) {
  const project = useProject()
  const { data } = useQuery({
    ...groupTypes(project.id),
    enabled: actors.some(({ kind }) => kind === 'group'),
    staleTime: 60_000,
  })
  return data ?? []
}

/** Each row opens the person beside the page, or the page of the group. */
export function PeopleList({ actors, more }: { actors: Actor[]; more?: More | undefined }) {
  const panels = usePanels()
  const params = useProjectParams()
  const navigate = useNavigate()
  const types = useGroupTypes(actors)
  const wayTo = (actor: Actor): (() => void) | undefined => {
    if (actor.kind === 'person') return () => panels.open({ to: 'person', id: actor.id })
    const type = types.find(({ group_type_index }) => group_type_index === actor.groupTypeIndex)
    if (actor.kind === 'unknown' || !type) return undefined
    return () =>
      void navigate({
        to: '/project/$projectId/groups/$groupType/$groupKey',
        params: { ...params, groupType: type.group_type, groupKey: actor.id },
      })
  }
  if (actors.length === 0)
    return (
      <EmptyState icon="persons" title="No people">
        There are no people behind this number.
      </EmptyState>
    )
  return (
    <>
      <div className="people">
        {actors.map((actor) => (
          <Row key={actor.id} actor={actor} open={wayTo(actor)} />
        ))}
      </div>
      {more && (
        <Button onClick={more.show} busy={more.busy}>
          Show more
        </Button>
      )}
    </>
  )
}

function Row({ actor, open }: { actor: Actor; open: (() => void) | undefined }) {
  const project = useProject()
  return (
    <button type="button" className="people-row" disabled={!open} onClick={open}>
      <Avatar name={actor.name} size={32} />
      <span className="grow">
        <span className="people-name truncate">{actor.name}</span>
        <span className="people-about truncate">{aboutOf(actor)}</span>
      </span>
      {actor.lastSeen && (
        <span
          className="soft tiny people-seen"
          title={`Last seen ${dateTime(actor.lastSeen, project.timezone)} ${project.timezone}`}
        >
          {ago(actor.lastSeen)}
        </span>
      )}
    </button>
  )
}

function aboutOf({ kind, id, properties, distinctIds }: Actor): string {
  if (kind === 'unknown') return 'no profile'
  return keyProperties(properties) || (kind === 'group' ? id : distinctIds[0]) || 'no other details'
}

export function PeopleSkeleton() {
  return (
    <div className="people" role="status" aria-label="Loading">
      {[0, 1, 2, 3, 4, 5, 6, 7].map((row) => (
        <div key={row} className="people-blank">
          <Skeleton width={32} height={32} radius={16} />
          <span className="grow stack">
            <Skeleton width={`${60 - row * 3}%`} height={12} />
            <Skeleton width={`${40 + row * 4}%`} height={10} />
          </span>
        </div>
      ))}
    </div>
  )
}
