import type { Draft } from '../insights/index.ts'

/** What a new dashboard may start with. */
export interface Template {
  id: string
  name: string
  text: string
  insights: readonly { name: string; draft: Draft }[]
  recordings?: string
}

const views = { event: '$pageview' }
const by = (property: string) => [{ property, type: 'event' as const }]

export const TEMPLATES: readonly Template[] = [
  { id: 'blank', name: 'Blank', text: 'Add tiles yourself.', insights: [] },
  {
    id: 'product',
    name: 'Product',
    text: 'Who is active, who returns, how often.',
    insights: [
      {
        name: 'Active people',
        draft: { kind: 'trends', series: [{ event: null, math: 'dau', name: 'Active people' }], compare: true },
      },
      { name: 'Retention by week', draft: { kind: 'retention', series: [{ event: null }], period: 'Week' } },
      { name: 'Lifecycle', draft: { kind: 'lifecycle', series: [{ event: null }], interval: 'week', from: '-89d' } },
      { name: 'Stickiness', draft: { kind: 'stickiness', series: [{ event: null }] } },
    ],
  },
  {
    id: 'marketing',
    name: 'Marketing',
    text: 'Visitors, where they come from, what they read.',
    insights: [
      {
        name: 'Visitors',
        draft: { kind: 'trends', series: [{ ...views, math: 'dau', name: 'Visitors' }], compare: true },
      },
      {
        name: 'Sources',
        draft: {
          kind: 'trends',
          series: [{ ...views, math: 'dau' }],
          breakdown: by('$referring_domain'),
          display: 'ranking',
        },
      },
      {
        name: 'Top pages',
        draft: { kind: 'trends', series: [views], breakdown: by('$pathname'), display: 'ranking' },
      },
      {
        name: 'Campaigns',
        draft: { kind: 'trends', series: [views], breakdown: by('utm_campaign'), display: 'ranking' },
      },
    ],
  },
  {
    id: 'recordings',
    name: 'Recordings',
    text: 'The latest sessions, beside what people do.',
    insights: [
      { name: 'Page views', draft: { kind: 'trends', series: [views], display: 'bar' } },
      { name: 'Paths', draft: { kind: 'paths', series: [], pathTypes: ['$pageview'] } },
    ],
    recordings: 'Latest recordings',
  },
]
