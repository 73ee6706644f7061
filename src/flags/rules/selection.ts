/** Which flags a request gets at all: by key, by where it comes from, and by context. */
import type { IncomingHttpHeaders } from 'node:http'
import type { CompiledFlag, ProjectFlags } from './definition.ts'

export type Runtime = 'client' | 'server' | 'all' | null

export interface Selection {
  readonly keys: readonly string[] | null
  readonly runtime: Runtime
  readonly contexts: readonly string[]
  readonly surveysOnly: boolean
}

export function selectFlags(
  project: ProjectFlags,
  { keys, runtime, contexts, surveysOnly }: Selection,
): readonly CompiledFlag[] {
  const { flags, named, hasLimits } = project
  if (keys === null && !surveysOnly && !hasLimits) return flags
  const wanted = keys === null ? flags : chosen(keys, named)
  return wanted.filter(
    (flag) =>
      isFor(flag.stored.evaluation_runtime, runtime) &&
      (contexts.length === 0 ||
        flag.contexts.length === 0 ||
        flag.contexts.some((context) => contexts.includes(context))) &&
      (!surveysOnly || flag.stored.key.startsWith('survey-targeting-')),
  )
}

/** Each once, in the order of the keys. Flags are named by id too, which is no key. */
function chosen(keys: readonly string[], named: ProjectFlags['named']): CompiledFlag[] {
  const found = new Set<CompiledFlag>()
  for (const key of keys) {
    const flag = named.get(key)
    if (flag?.stored.key === key) found.add(flag)
  }
  return [...found]
}

/** A caller of unknown kind gets what is for all. */
function isFor(wanted: string | null, runtime: Runtime): boolean {
  return wanted === null || wanted === 'all' || runtime === 'all' || wanted === runtime
}

const SERVER_SDK = /^posthog-(?:python|ruby|php|java|go|node|dotnet|elixir|rs|server)\/|python-requests\/|curl\//
const CLIENT_SDK = /^posthog-(?:android|ios|react-native|flutter|js)\//
const BROWSER = /Mozilla\/|Chrome\/|Safari\/|Firefox\/|Edge\//

export function runtimeOf(said: unknown, headers: IncomingHttpHeaders): Runtime {
  if (said === 'client' || said === 'server' || said === 'all') return said
  const agent = headers['user-agent'] ?? ''
  if (BROWSER.test(agent)) return 'client'
  if (SERVER_SDK.test(agent)) return 'server'
  if (CLIENT_SDK.test(agent)) return 'client'
  const fromPage =
    headers.origin !== undefined ||
    headers.referer !== undefined ||
    headers['sec-fetch-mode'] !== undefined ||
    headers['sec-fetch-site'] !== undefined
  return fromPage ? 'client' : null
}
