import { InvalidQuery } from '../../lib/invalid-input.ts'

/** Something about the SQL a client sent. */
export const sqlError = (message: string): InvalidQuery => new InvalidQuery(message, ['query'])

/** Whether it is the text itself that is wrong, wherever that stood. */
export const isAboutSql = ({ path }: InvalidQuery): boolean => path.length === 1 && path[0] === 'query'
