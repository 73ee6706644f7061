/** The first characters of a text, counted in code points: never half a surrogate pair. */
export function cutTo(text: string, characters: number): string {
  if (text.length <= characters) return text
  let end = 0
  for (let count = 0; count < characters && end < text.length; count++)
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1
  return text.slice(0, end)
}

/**
 * The text as a name or an id can be stored. PostgreSQL's text holds neither NUL nor half a surrogate pair, and the
 * mark of lib/json.ts at the start would turn it into a number: each becomes the replacement character.
 */
export const storable = (text: string): string =>
  SUSPECT.test(text) ? text.replace(/\0|^\uE0F7/g, '\uFFFD').toWellFormed() : text

/** Matches everything that `storable` might have to replace. */
const SUSPECT = /[\0\uE0F7\uD800-\uDFFF]/
