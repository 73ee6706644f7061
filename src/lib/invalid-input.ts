/** Where a part of a request stood: names of fields and positions in lists, from the outside in. */
export type Path = readonly (string | number)[]

/** What is wrong: a value, its absence, its cost, that what it names is not there, or is there already. */
export type InvalidReason =
  | 'invalid_input'
  | 'required'
  | 'query_too_heavy'
  | 'not_found'
  | 'unique'
  | 'invalid_key'
  | 'conflict'

/** A request that cannot be carried out as it was sent. The API tells the client; nothing below it knows how. */
export class InvalidInput extends Error {
  override name = 'InvalidInput'
  readonly path: Path
  readonly reason: InvalidReason

  /** `words` are for the sender; without any the API says the usual ones for the reason. */
  constructor(words: string | undefined, path: Path = [], reason: InvalidReason = 'invalid_input') {
    super(words)
    this.path = path
    this.reason = reason
  }
}

/** The same of a question about events, persons or recordings. */
export class InvalidQuery extends InvalidInput {
  override name = 'InvalidQuery'
}

/** Says no to a question, where an expression is expected too. */
export function refuse(words: string, path: Path = [], reason?: InvalidReason): never {
  throw new InvalidQuery(words, path, reason)
}
