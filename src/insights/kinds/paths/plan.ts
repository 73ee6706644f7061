/** A paths query, settled. */

import type { PathsQuery } from '../../../contract/queries/index.ts'
import { InvalidQuery } from '../../../lib/invalid-input.ts'
import type { Facts } from '../../facts/facts.ts'
import type { Pattern } from '../../plan/patterns.ts'
import { type Plan, planCommon } from '../../plan/plan.ts'
import { type FunnelStretch, planStretch } from './around-funnel.ts'

export interface PathsPlan extends Plan {
  readonly query: PathsQuery
  readonly filter: NonNullable<PathsQuery['pathsFilter']>
  readonly stepLimit: number
  readonly edgeLimit: number
  /** What to replace in an item, in order: patterns of the query and its groupings. */
  readonly replacements: readonly { readonly pattern: string; readonly by: string; readonly whole: boolean }[]
  /** The expression that items are made of, when they are no pages, screens or names. */
  readonly expression: string | undefined
  /** Only what was done around a step of a funnel. */
  readonly stretch: FunnelStretch | undefined
}

const DEFAULT_STEPS = 5
const DEFAULT_EDGES = 50

export function planPaths(query: PathsQuery, facts: Facts): PathsPlan {
  const filter: PathsPlan['filter'] = query.pathsFilter ?? ({} as PathsPlan['filter'])
  const stretch = planStretch(query, facts)
  const common = planCommon(query, 'day', facts)
  const replacements = replacementsOf(filter)
  return {
    ...common,
    // Who goes through the funnel goes the ways.
    ...(stretch === undefined ? {} : { groupIndex: stretch.funnel.groupIndex }),
    query,
    filter: { ...filter, startPoint: pointOf(filter.startPoint), endPoint: pointOf(filter.endPoint) },
    expression: expressionIn(filter),
    stretch,
    stepLimit: filter.stepLimit ?? DEFAULT_STEPS,
    edgeLimit: filter.edgeLimit ?? DEFAULT_EDGES,
    replacements,
  }
}

/** Groupings become patterns of ours; those of the asker are looked at first. */
export const cleaningPatterns = ({ pathsFilter }: PathsQuery): Pattern[] =>
  (pathsFilter?.localPathCleaningFilters ?? []).flatMap(({ regex }, at) =>
    regex === undefined ? [] : [{ pattern: regex, path: ['pathsFilter', 'localPathCleaningFilters', at, 'regex'] }],
  )

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

/** Items are shown without a slash at their end. */
const pointOf = (point: string | undefined): string | undefined => point?.replace(/(.)\/$/, '$1')

function expressionIn({ includeEventTypes, pathsHogQLExpression }: PathsPlan['filter']): string | undefined {
  if (!includeEventTypes?.includes('hogql')) return undefined
  if (!pathsHogQLExpression?.trim()) {
    throw new InvalidQuery(
      'Paths over an expression need one: send pathsHogQLExpression.',
      ['pathsFilter', 'pathsHogQLExpression'],
      'required',
    )
  }
  return pathsHogQLExpression
}
