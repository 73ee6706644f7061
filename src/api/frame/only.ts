import { ApiError } from '../../http/errors.ts'

/** The record of the one thing that was asked for. */
export function only<T>(records: readonly T[]): T {
  const [record] = records
  if (record === undefined) throw new ApiError('not_found')
  return record
}
