import type { InsightAnswers } from '../../contract/results/index.ts'

/** What every answer to an insight's query node says of itself, whatever its kind. */
export type Envelope = Omit<InsightAnswers['PathsQuery'], 'results'>
