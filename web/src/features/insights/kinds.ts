import type { IconName } from '../../ui/icon.tsx'
import type { Kind } from './draft.ts'

/** The kinds of insight, as they are offered. */
export const KIND_LOOKS: readonly { kind: Kind; icon: IconName; title: string; text: string }[] = [
  { kind: 'trends', icon: 'trends', title: 'Trends', text: 'How often, how many, over time' },
  { kind: 'funnel', icon: 'funnel', title: 'Funnel', text: 'Where people drop off, and why' },
  { kind: 'retention', icon: 'retention', title: 'Retention', text: 'Who comes back' },
  { kind: 'paths', icon: 'paths', title: 'Paths', text: 'Which routes people take' },
  { kind: 'lifecycle', icon: 'lifecycle', title: 'Lifecycle', text: 'New, returning, dormant' },
  { kind: 'stickiness', icon: 'stickiness', title: 'Stickiness', text: 'How regularly they use it' },
  { kind: 'sql', icon: 'sql', title: 'SQL', text: 'Custom queries' },
]

export const iconOf = (kind: Kind | undefined): IconName => lookOf(kind)?.icon ?? 'insights'

export const kindName = (kind: Kind | undefined): string => lookOf(kind)?.title ?? 'Created through the API'

const lookOf = (kind: Kind | undefined) => KIND_LOOKS.find((look) => look.kind === kind)
