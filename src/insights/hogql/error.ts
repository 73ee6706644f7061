import { InvalidQuery } from '../../lib/invalid-input.ts'

import type { Place } from './ast.ts'

/** Something about the SQL a client sent, with where it stands in the text. */
export const sqlError = (message: string, place?: Place): InvalidQuery =>
  new InvalidQuery(place ? `${message} (${placeWords(place)})` : message, ['query'])

export const placeWords = ({ line, column }: Place): string => `line ${line}, column ${column}`

/** Where in a text the character at `offset` stands. */
export function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1) as string).length + 1 }
}

/** Whether it is the text itself that is wrong, wherever that stood. */
export const isAboutSql = ({ path }: InvalidQuery): boolean => path.length === 1 && path[0] === 'query'
