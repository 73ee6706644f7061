/**
 * Somebody else changed what this batch had read. Nothing is wrong: roll the transaction back and run the whole batch again.
 * It carries the code by which Postgres says the same, so whatever runs a transaction again on that does so here.
 */
export class IdentityConflict extends Error {
  override name = 'IdentityConflict'
  readonly code = '40001'
}
