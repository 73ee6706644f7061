import type { Statements } from '../../engines/postgres/index.ts'
import { withoutNul } from '../../lib/without-nul.ts'
import type { LogRecord } from '../../log/index.ts'

/** An event that could not be processed, with everything needed to examine it or to try again. */
export interface DeadLetter {
  readonly project: number
  readonly position: number
  readonly uuid: string
  readonly reason: string
  readonly error: string
  readonly payload: string
}

/** A statement takes 65,534 values, and a letter has seven. */
const AT_ONCE = 1_000

export async function recordDeadLetters(
  tx: Statements,
  partition: string,
  letters: readonly DeadLetter[],
): Promise<void> {
  const rowOf = (letter: DeadLetter) => ({
    project_id: letter.project,
    partition,
    position: letter.position,
    uuid: withoutNul(letter.uuid),
    reason: letter.reason,
    error: withoutNul(letter.error),
    payload: withoutNul(letter.payload),
  })
  for (let from = 0; from < letters.length; from += AT_ONCE)
    await tx`INSERT INTO dead_letters ${tx(letters.slice(from, from + AT_ONCE).map(rowOf))} ON CONFLICT DO NOTHING`
}

/** The dead letter of a log record that cannot be decoded. */
export const unreadableRecord = ({ position, payload }: LogRecord, error: unknown): DeadLetter => ({
  project: 0,
  position,
  uuid: '',
  reason: 'unreadable_record',
  error: String(error),
  payload: payload.toString('utf8'),
})
