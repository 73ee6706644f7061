import type { WebAnswers } from '../../../contract/results/index.ts'
import type { Envelope } from '../../wire/envelope-fields.ts'

/** What the answer to a question of web analytics says besides its envelope. */
export type WebFields<K extends keyof WebAnswers> = K extends keyof WebAnswers
  ? Omit<WebAnswers[K], keyof Envelope>
  : never
