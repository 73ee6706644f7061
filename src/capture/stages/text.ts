/** The first so many characters, counted as people count them (code points), never half a surrogate pair. */
export function cutTo(text: string, characters: number): string {
  if (text.length <= characters) return text
  let end = 0
  for (let count = 0; count < characters && end < text.length; count++)
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1
  return text.slice(0, end)
}

/**
 * Fit for a name or an id. PostgreSQL's text holds neither NUL nor half a surrogate pair, and the mark of lib/json.ts at the start
 * would make a number of it: each becomes the replacement character.
 */
export const storable = (text: string): string =>
  SUSPECT.test(text) ? text.replace(/\0|^\uE0F7/g, '\uFFFD').toWellFormed() : text

/** Holds NUL, the mark or a half of a pair: anything that `storable` might have to change. */
const SUSPECT = /[\0\uE0F7\uD800-\uDFFF]/
