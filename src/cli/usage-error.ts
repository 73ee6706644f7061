/** Wrong arguments: the command prints the message and its usage. */
export class UsageError extends Error {
  override name = 'UsageError'
}
