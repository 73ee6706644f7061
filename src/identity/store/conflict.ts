/**
 * Another transaction has changed what this batch had read. Nothing is wrong: roll back and run the whole batch again.
 * It has the code of Postgres' serialization failures, so code that retries these retries it too.
 */
export class IdentityConflict extends Error {
  override name = 'IdentityConflict'
  readonly code = '40001'
}
