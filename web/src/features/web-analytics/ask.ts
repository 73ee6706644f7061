/**
 * Every part of the page asks for itself and has its own cached answer; the questions of one moment travel in one
 * request. There are two lanes, so that the figures do not wait for the slowest table.
 */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { WebAnswers, WebPageAnswer } from '../../api/contract.ts'
import { ask } from '../../api/http.ts'
import { ApiFailure } from '../../lib/api-failure.ts'
import type { WebKind, WebNode } from './nodes.ts'
import { useWebSource } from './source.tsx'

export type Lane = 'figures' | 'tables'

interface Waiting {
  node: WebNode
  signal: AbortSignal | undefined
  done: (answer: WebAnswers[WebKind]) => void
  failed: (error: unknown) => void
}

const lanes = new Map<string, Waiting[]>()

/** The answer to one question, together with whatever else is asked now. */
export function askTogether<K extends WebKind>(
  url: string,
  lane: Lane,
  node: WebNode<K>,
  signal?: AbortSignal,
): Promise<WebAnswers[K]> {
  return new Promise((done, failed) => {
    const key = `${lane} ${url}`
    const waiting = lanes.get(key) ?? []
    // The kind of the question is the kind of its answer.
    waiting.push({ node, signal, done: done as Waiting['done'], failed })
    if (waiting.length > 1) return
    lanes.set(key, waiting)
    setTimeout(() => {
      lanes.delete(key)
      void sendAll(url, waiting)
    })
  })
}

async function sendAll(url: string, waiting: readonly Waiting[]): Promise<void> {
  const gone = new AbortController()
  let left = waiting.length
  for (const { signal } of waiting)
    signal?.addEventListener('abort', () => {
      left -= 1
      if (left === 0) gone.abort()
    })
  try {
    const queries = waiting.map(({ node }) => node)
    const { results } = await ask<WebPageAnswer>(url, { body: { queries }, signal: gone.signal })
    for (const [index, { done, failed }] of waiting.entries()) {
      const result = results[index]
      if (result && 'answer' in result) done(result.answer)
      else if (result) failed(new ApiFailure(result.status, result.error.code, result.error.detail, result.error.attr))
      else failed(new ApiFailure(500, 'error', 'The service did not answer this part.'))
    }
  } catch (error) {
    for (const { failed } of waiting) failed(error)
  }
}

export function usePart<K extends WebKind>(
  node: WebNode<K>,
  { lane = 'tables', every, enabled = true }: { lane?: Lane; every?: number; enabled?: boolean } = {},
) {
  const { url } = useWebSource()
  return useQuery({
    queryKey: ['web', url, node],
    queryFn: ({ signal }) => askTogether(url, lane, node, signal),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    enabled,
    ...(every ? { refetchInterval: every } : {}),
  })
}
