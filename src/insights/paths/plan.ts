/** A paths query, settled. */
import { ApiError } from '../../http/errors.ts'
import type { InsightContext } from '../context.ts'
import type { Conversation } from '../engine.ts'
import type { PathsQuery } from '../parse/query-schema.ts'
import { type Plan, planCommon } from '../plan/plan.ts'
import { invalidPatterns } from '../plan/regexes.ts'

export interface PathsPlan extends Plan {
  readonly query: PathsQuery
  readonly filter: NonNullable<PathsQuery['pathsFilter']>
  readonly stepLimit: number
  readonly edgeLimit: number
  /** What to replace in an item, in order: patterns of the query and its groupings. */
  readonly replacements: readonly { readonly pattern: string; readonly by: string; readonly whole: boolean }[]
}

const DEFAULT_STEPS = 5
const DEFAULT_EDGES = 50

export async function planPaths(
  query: PathsQuery,
  context: InsightContext,
  conversation: Conversation,
): Promise<PathsPlan> {
  const filter: PathsPlan['filter'] = query.pathsFilter ?? ({} as PathsPlan['filter'])
  if (filter.includeEventTypes?.includes('hogql'))
    refuse('Paths over an expression are not supported.', 'includeEventTypes')
  if (query.funnelPathsFilter !== undefined)
    refuse('Paths around a funnel step are not supported.', 'funnelPathsFilter')
  const common = await planCommon(query, 'day', context, conversation)
  const replacements = replacementsOf(filter)
  const invalid = await invalidPatterns(
    replacements.map(({ pattern }) => pattern),
    conversation,
  )
  return {
    ...common,
    query,
    filter,
    stepLimit: filter.stepLimit ?? DEFAULT_STEPS,
    edgeLimit: filter.edgeLimit ?? DEFAULT_EDGES,
    replacements: replacements.filter(({ pattern }) => !invalid.has(pattern)),
  }
}

/** Groupings are globs: an item that fits one is shown as the glob itself. */
function replacementsOf(filter: PathsPlan['filter']): PathsPlan['replacements'] {
  const cleaning = (filter.localPathCleaningFilters ?? [])
    .toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0))
    .flatMap(({ regex, alias }) =>
      regex === undefined || alias === undefined ? [] : [{ pattern: regex, by: alias, whole: false }],
    )
  const groupings = (filter.pathGroupings ?? []).map((glob) => ({
    pattern: `^${glob.split('*').map(escaped).join('.*')}$`,
    by: glob,
    whole: true,
  }))
  return [...cleaning, ...groupings]
}

const escaped = (text: string): string => text.replace(/[^A-Za-z0-9_]/g, (char) => (char < '\x80' ? `\\${char}` : char))

function refuse(message: string, attr: string): never {
  throw new ApiError('invalid_input', message, { attr: `pathsFilter__${attr}` })
}
