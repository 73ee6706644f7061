/** The words of the call are off: answered with the usage of the command. */
export class UsageError extends Error {
  override name = 'UsageError'
}
