import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import type { QueryAnswers, TaxonomyAnswers, WebAnswers } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import type { Json } from '../../lib/json.ts'

export type QueryKind = keyof QueryAnswers

/** A query as it is sent: its kind says what the answer is. The service judges the rest. */
export type Node<K extends QueryKind = QueryKind> = { kind: K; [key: string]: Json }

/** What came back, and how long it took from asking to having it. */
export type Answer<K extends QueryKind = QueryKind> = QueryAnswers[K] & { seconds: number }

/** A query and its answer together: the answer that stays while the next one is on its way has its own query. */
export interface Answered<K extends QueryKind> {
  node: Node<K>
  answer: Answer<K>
}

/** Kinds that are drawn as insights. */
export type DrawnKind = Exclude<
  QueryKind,
  | 'FunnelCorrelationQuery'
  | 'EventsQuery'
  | 'ActorsQuery'
  | 'ExperimentQuery'
  | 'ExperimentExposureQuery'
  | keyof WebAnswers
  | keyof TaxonomyAnswers
>
export type DrawnNode = { [K in DrawnKind]: Node<K> }[DrawnKind]
export type Drawn = { [K in DrawnKind]: Answered<K> }[DrawnKind]

export async function askQuery<K extends QueryKind>(
  projectId: number,
  node: Node<K>,
  signal?: AbortSignal,
): Promise<Answered<K>> {
  const began = performance.now()
  const answer = await ask<QueryAnswers[K]>(inProject(projectId, 'query/'), {
    query: { explain: 'sql' },
    body: { query: node },
    signal,
  })
  return { node, answer: { ...answer, seconds: (performance.now() - began) / 1000 } }
}

/** Case by case, so that each kind is paired with its own answer. */
function askDrawn(projectId: number, node: DrawnNode, signal: AbortSignal): Promise<Drawn> {
  switch (node.kind) {
    case 'TrendsQuery':
      return askQuery<typeof node.kind>(projectId, node, signal)
    case 'FunnelsQuery':
      return askQuery<typeof node.kind>(projectId, node, signal)
    case 'RetentionQuery':
      return askQuery<typeof node.kind>(projectId, node, signal)
    case 'PathsQuery':
      return askQuery<typeof node.kind>(projectId, node, signal)
    case 'LifecycleQuery':
      return askQuery<typeof node.kind>(projectId, node, signal)
    case 'StickinessQuery':
      return askQuery<typeof node.kind>(projectId, node, signal)
    case 'HogQLQuery':
      return askQuery<typeof node.kind>(projectId, node, signal)
  }
}

const keyOf = (projectId: number, node: Node) => ['answer', String(projectId), node] as const
const KEPT = { placeholderData: keepPreviousData, staleTime: 30_000 } as const

export const answerOptions = <K extends QueryKind>(projectId: number, node: Node<K>) =>
  queryOptions({
    queryKey: keyOf(projectId, node),
    queryFn: ({ signal }) => askQuery(projectId, node, signal),
    ...KEPT,
  })

/**
 * The answer to a question. When the question changes the old one is cancelled, and its answer stays (as
 * `isPlaceholderData`) until the new one is there.
 */
export function useAnswer<K extends QueryKind>(node: Node<K>, enabled = true) {
  const project = useProject()
  return useQuery({ ...answerOptions(project.id, node), enabled })
}

/** The same for a question of whichever kind. */
export function useDrawn(node: DrawnNode, enabled = true) {
  const project = useProject()
  return useQuery({
    queryKey: keyOf(project.id, node),
    queryFn: ({ signal }) => askDrawn(project.id, node, signal),
    ...KEPT,
    enabled,
  })
}
