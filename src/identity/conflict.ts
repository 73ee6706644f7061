/**
 * Somebody else changed what this batch had read. Nothing is wrong: roll the transaction back and run the whole batch again.
 */
export class IdentityConflict extends Error {
  override name = 'IdentityConflict'
}

/** Unique and foreign key violations come from the same races as a conflict; so do deadlocks and serialization failures. */
const RACES = new Set(['23503', '23505', '40001', '40P01'])

/** Whether running the same transaction again may well succeed. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof IdentityConflict) return true
  return error instanceof Error && RACES.has((error as Error & { code?: string }).code ?? '')
}
