/**
 * Feature flags of Harbour, and the events of people who got them. What somebody gets is decided as the service decides
 * it, so that the events of the story and its answers agree. Nothing here draws random numbers: the rest of the story
 * stays as it is.
 */
import { type FlagFields, rolloutHash, variantHash } from '../flags/index.ts'
import { DAY } from '../lib/durations.ts'
import type { JsonObject } from '../lib/json.ts'
import { beside, shareOf } from './beside.ts'
import type { DemoEvent } from './journey.ts'

export const CHECKLIST = 'onboarding-checklist'
const IMPORT = 'import-v2'
const IMPORT_SHARE = 25

export const FLAGS: readonly (FlagFields & { readonly key: string })[] = [
  {
    key: CHECKLIST,
    name: 'A checklist for the first day, against the empty board of before',
    tags: ['demo', 'activation'],
    filters: {
      groups: [{ properties: [], rollout_percentage: 100, variant: null }],
      multivariate: {
        variants: [
          { key: 'control', name: 'An empty board', rollout_percentage: 50 },
          { key: 'checklist', name: 'Five things to do first', rollout_percentage: 50 },
        ],
      },
      payloads: { checklist: '{"steps":["board","task","teammate","import","report"]}' },
    },
  },
  {
    key: IMPORT,
    name: 'The new import, for paying teams and a quarter of everybody else',
    tags: ['demo'],
    filters: {
      groups: [
        {
          properties: [{ key: 'plan', type: 'person', operator: 'exact', value: ['team', 'scale'] }],
          rollout_percentage: 100,
          variant: null,
        },
        { properties: [], rollout_percentage: IMPORT_SHARE, variant: null },
      ],
    },
  },
  {
    key: 'dark-mode',
    name: 'Dark boards; not ready yet',
    tags: ['demo'],
    active: false,
    filters: { groups: [{ properties: [], rollout_percentage: 0, variant: null }] },
  },
]

/** What the checklist is for: more people who finish their first day. */
export const EXPERIMENT = {
  days: 36,
  fields: {
    name: 'Does a checklist help on the first day?',
    description: 'People who finish onboarding, with the checklist and without.',
    metrics: [
      {
        kind: 'ExperimentMetric',
        metric_type: 'funnel',
        series: [{ kind: 'EventsNode', event: 'finished onboarding' }],
      },
    ],
    parameters: { baseline_conversion_rate: 0.35, minimum_detectable_effect: 30, recommended_sample_size: 325 },
  },
}

/** From this day on new users meet the flags. */
export const FLAGS_FROM_DAY = 24
/** Who finishes the first day, with the checklist and without. */
const FINISHES = { checklist: 0.58, control: 0.43 } as const

/** The events of one visitor, and what flags add to them. */
export function withFlags(events: readonly DemoEvent[], begin: number): DemoEvent[] {
  const welcome = events.find(({ properties }) => properties.$pathname === '/app/welcome')
  if (!welcome || welcome.at < begin + FLAGS_FROM_DAY * DAY) return [...events]
  const who = welcome.distinct_id
  const variant = variantHash(CHECKLIST, who) < 0.5 ? 'control' : 'checklist'
  const hasImport = rolloutHash(IMPORT, who) <= IMPORT_SHARE / 100
  const known: JsonObject = { [`$feature/${CHECKLIST}`]: variant, [`$feature/${IMPORT}`]: hasImport }
  const told = events.map((event) =>
    event.at < welcome.at ? event : { ...event, properties: { ...event.properties, ...known } },
  )
  const imports = told.find(({ properties }) => properties.$pathname === '/app/import')
  const board = told.find(({ event }) => event === 'created board')
  const finishes = shareOf(`finishes ${who}`) < FINISHES[variant]
  return [
    ...told,
    called(welcome, CHECKLIST, variant, known),
    ...(imports ? [called(imports, IMPORT, hasImport, known)] : []),
    ...(board && finishes ? [beside(board, 'finished onboarding', { ...known, steps: 5 }, 90)] : []),
  ]
}

const called = (on: DemoEvent, flag: string, response: string | boolean, known: JsonObject): DemoEvent =>
  beside(
    on,
    '$feature_flag_called',
    {
      ...known,
      $feature_flag: flag,
      $feature_flag_response: response,
      $feature_flag_reason: 'Matched condition set 1',
    },
    1,
  )
