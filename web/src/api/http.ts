import { ApiFailure } from '../lib/api-failure.ts'

interface Ask {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  query?: Record<string, string | number | boolean | null | undefined>
  body?: unknown
  signal?: AbortSignal | undefined
}

type Listener = () => void
const signedOut = new Set<Listener>()

/** Called whenever the service says that nobody is signed in. */
export function onSignedOut(listener: Listener): () => void {
  signedOut.add(listener)
  return () => void signedOut.delete(listener)
}

/** Browsers take 64 kB of such requests at a time. */
const MOST_KEPT_ALIVE = 4_000

export async function ask<T>(path: string, { method: given, query = {}, body, signal }: Ask = {}): Promise<T> {
  const method = given ?? (body === undefined ? 'GET' : 'POST')
  const sent = body === undefined ? '' : JSON.stringify(body)
  const response = await send(withQuery(path, query), {
    method,
    // A small change that nobody will cancel arrives also when the page is left at once.
    keepalive: method !== 'GET' && signal === undefined && sent.length < MOST_KEPT_ALIVE,
    headers: {
      accept: 'application/json',
      // A page of another origin cannot send this header without our consent: it keeps forged requests out.
      'x-requested-with': 'footfall',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    credentials: 'same-origin',
    ...(body === undefined ? {} : { body: sent }),
    ...(signal ? { signal } : {}),
  })
  const text = await response.text()
  const answer = parsed(text, response.headers.get('content-type'))
  if (response.ok) return answer as T
  const failure = asFailure(response.status, answer)
  if (failure.status === 401) for (const listener of signedOut) listener()
  throw failure
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiFailure(0, 'unreachable', 'The service is not responding.')
  }
}

function withQuery(path: string, query: NonNullable<Ask['query']>): string {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== '') search.set(key, String(value))
  const text = search.toString()
  if (text === '') return path
  return `${path}${path.includes('?') ? '&' : '?'}${text}`
}

function parsed(text: string, type: string | null): unknown {
  if (text === '') return null
  if (!type?.includes('json')) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function asFailure(status: number, answer: unknown): ApiFailure {
  const { code, detail, attr } = (typeof answer === 'object' && answer !== null ? answer : {}) as Record<
    string,
    unknown
  >
  return new ApiFailure(
    status,
    typeof code === 'string' ? code : 'error',
    typeof detail === 'string' ? detail : `The service answered ${status}.`,
    typeof attr === 'string' ? attr : null,
  )
}

export const inProject = (projectId: string | number, path: string) => `/api/environments/${projectId}/${path}`
