/** Enough to recognise a value by, and no more: it may be long, and is only repeated to its sender. */
const MOST_CHARACTERS = 40

/** What was sent, in quotes, for a message that says what is wrong with it. */
export function quoteSent(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  const characters = Array.from(text.slice(0, 2 * MOST_CHARACTERS + 2))
  const shown = characters.length > MOST_CHARACTERS ? `${characters.slice(0, MOST_CHARACTERS).join('')}…` : text
  return JSON.stringify(shown)
}

/** The end of a list of choices: what was sent is not in it. */
export const noneOfThem = (value: unknown): string => `${quoteSent(value)} is none of them.`

/** What to say about a number below 0. */
export const belowZero = (value: unknown): string => `${quoteSent(value)} is below 0. Must be 0 or more.`
