import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyJson, anyWord } from '../../../test/support/any-json.ts'
import { InvalidInput } from '../../lib/invalid-input.ts'
import { readCriteria, readGroups } from '../definitions/cohort.ts'
import { actorsNodeOfLegacyFilter } from './legacy-actors.ts'
import { correlationActorsOfLegacyFilter, correlationOfLegacyFilter } from './legacy-correlation.ts'
import { legacyFilterFields, nodeOfLegacyFilter, placesOfLegacyFilter } from './legacy-filter.ts'
import { wrongInOverride } from './override.ts'
import { readQuery } from './read-query.ts'

const KINDS =
  `TrendsQuery FunnelsQuery RetentionQuery LifecycleQuery StickinessQuery PathsQuery FunnelCorrelationQuery HogQLQuery
  EventsQuery ActorsQuery InsightVizNode EventsNode ActionsNode GroupNode WebOverviewQuery WebStatsTableQuery`.split(
    /\s+/,
  )
const WORDS =
  `kind source series event events actions id name type math math_property properties key value operator dateRange date_from
  date_to interval breakdownFilter breakdown breakdowns breakdown_type funnelsFilter retentionFilter trendsFilter pathsFilter insight
  entity_id entity_type order display compare filterTestAccounts samplingFactor select where orderBy limit offset query filters values OR
  AND person group cohort behavioral hogql exact regex gt -7d all day TRENDS FUNNELS RETENTION PATHS STICKINESS LIFECYCLE target_entity
  returning_entity funnel_step exclusions formula negation event_type time_value time_interval performed_event`.split(
    /\s+/,
  )
const word = anyWord(...WORDS, ...KINDS)
const anything = anyJson(word)
const fields = (depth: number): fc.Arbitrary<unknown> =>
  fc.dictionary(
    fc.constantFrom(...WORDS),
    depth === 0 ? anything : fc.oneof(anything, fields(depth - 1), fc.array(fields(depth - 1), { maxLength: 2 })),
    { maxKeys: 7 },
  )
const question = fc.tuple(fc.constantFrom(...KINDS), fields(2)).map(([kind, rest]) => ({ kind, ...(rest as object) }))

const refuse = (message: string): never => {
  throw new InvalidInput(message, [])
}
const READERS: Readonly<Record<string, (given: unknown) => unknown>> = {
  readQuery,
  wrongInOverride,
  legacyFilterFields,
  'a legacy filter': (given) => readQuery(nodeOfLegacyFilter(given), placesOfLegacyFilter(given)),
  'people of a legacy filter': (given) => readQuery(actorsNodeOfLegacyFilter(given), placesOfLegacyFilter(given, true)),
  'a legacy correlation': (given) => readQuery(correlationOfLegacyFilter(given)),
  'people of a legacy correlation': (given) => readQuery(correlationActorsOfLegacyFilter(given)),
  'criteria of a cohort': (given) => readCriteria(given, refuse),
  'groups of a cohort': (given) => readGroups(given, refuse),
}

/** `FC_RUNS` for more of them. */
const numRuns = Number(process.env.FC_RUNS ?? 100)

it.each(Object.keys(READERS))(
  '%s reads whatever is sent, or says what is wrong with it',
  (name) => {
    const read = READERS[name] as (given: unknown) => unknown
    fc.assert(
      fc.property(fc.oneof(question, fields(2), anything), (given) => {
        try {
          read(given)
        } catch (error) {
          expect(error, (error as Error).stack).toBeInstanceOf(InvalidInput)
          expect((error as Error).message).not.toBe('')
        }
      }),
      { numRuns },
    )
  },
  3_600_000,
)
