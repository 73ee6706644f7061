import type { EarlyAccessFeature } from '../../api/contract.ts'

export type Stage = EarlyAccessFeature['stage']

interface StageWords {
  readonly value: Stage
  readonly label: string
  /** Who has the feature in it. */
  readonly means: string
}

export const STAGES: readonly StageWords[] = [
  { value: 'draft', label: 'Draft', means: 'Nobody sees it yet.' },
  { value: 'concept', label: 'Concept', means: 'People see the idea and may register interest.' },
  { value: 'alpha', label: 'Alpha', means: 'People may turn it on for themselves.' },
  { value: 'beta', label: 'Beta', means: 'People may turn it on for themselves.' },
  { value: 'general-availability', label: 'Everyone', means: 'Its flag decides for everybody alike.' },
  { value: 'archived', label: 'Archived', means: 'Its flag decides for everybody alike.' },
]

export const wordsOf = (stage: Stage): StageWords =>
  STAGES.find(({ value }) => value === stage) ?? { value: stage, label: stage, means: '' }

/** The property that says of a person whether it turned the feature on. */
export const enrolmentOf = (flagKey: string): string => `$feature_enrollment/${flagKey}`
