import { ApiError } from '../../http/errors.ts'

/** Something about the SQL a client sent. */
export const sqlError = (message: string): ApiError => new ApiError('invalid_input', message, { attr: 'query' })
