import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { ApiFailure } from '../../lib/api-failure.ts'
import type { Json } from '../../lib/json.ts'

/** What came back, and what it cost. */
export interface Answer<R = unknown> {
  results: R
  hasMore?: boolean
  /** Of correlations: everybody who came through, and who dropped off. */
  totals?: { success: number; failure: number }
  columns?: string[]
  types?: unknown[]
  last_refresh?: string | null
  is_cached?: boolean
  timezone?: string
  resolved_date_range?: { date_from: string; date_to: string } | null
  explain?: { sql: string; parameters?: Record<string, unknown>; rows_read: number; elapsed_ms: number }[]
  /** Measured here, from asking to having it. */
  seconds: number
}

export type Node = { [key: string]: Json }

/** Older services answer each kind at its own address. */
const OLD_PATHS: Record<string, string> = {
  TrendsQuery: 'insights/trend/',
  StickinessQuery: 'insights/trend/',
  LifecycleQuery: 'insights/trend/',
  FunnelsQuery: 'insights/funnel/',
  FunnelCorrelationQuery: 'insights/funnel/correlation/',
  RetentionQuery: 'insights/retention/',
  PathsQuery: 'insights/path/',
}

export async function askQuery<R>(projectId: number, node: Node, signal?: AbortSignal): Promise<Answer<R>> {
  const began = performance.now()
  const answer = await send<R>(projectId, node, signal)
  return { ...answer, seconds: (performance.now() - began) / 1000 }
}

async function send<R>(projectId: number, node: Node, signal?: AbortSignal): Promise<Answer<R>> {
  try {
    return await ask<Answer<R>>(inProject(projectId, 'query/'), {
      query: { explain: 'sql' },
      body: { query: node },
      signal,
    })
  } catch (error) {
    const old = OLD_PATHS[String(node.kind)]
    if (!(error instanceof ApiFailure && error.missing) || !old) throw error
    const { result, ...rest } = await ask<Answer<R> & { result: R }>(inProject(projectId, old), {
      query: { explain: 'sql' },
      body: { query: node },
      signal,
    })
    return { ...rest, results: result }
  }
}

export const answerOptions = <R>(projectId: number, node: Node) =>
  queryOptions({
    queryKey: ['answer', String(projectId), node],
    queryFn: ({ signal }) => askQuery<R>(projectId, node, signal),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })

/**
 * The answer to a question. When the question changes the old one is cancelled, and its answer stays (as `isPlaceholderData`) until
 * the new one is there.
 */
export function useAnswer<R>(node: Node, enabled = true) {
  const project = useProject()
  return useQuery({ ...answerOptions<R>(project.id, node), enabled })
}
