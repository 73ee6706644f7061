import { ApiError } from '../../http/errors.ts'
import { isObject, type Json, type JsonObject } from '../../lib/json.ts'
import { clientUuid } from '../stages/client-uuid.ts'
import type { Shaped } from '../stages/shape.ts'
import { isRfc3339, type V1Headers } from './headers.ts'

/** The v1 body: one form only. Errors in the envelope or in a uuid refuse the whole request. */
export function openV1(value: Json, headers: V1Headers): Shaped {
  if (!isObject(value)) throw new ApiError('invalid_shape', 'The body must be an object with created_at and batch.')
  if (!isRfc3339(value.created_at))
    throw new ApiError('invalid_input', 'created_at must be an RFC 3339 time.', { attr: 'created_at' })
  if (!Array.isArray(value.batch)) throw new ApiError('invalid_shape', 'batch must be an array.', { attr: 'batch' })
  if (value.batch.length === 0) throw new ApiError('empty_batch', undefined, { attr: 'batch' })
  const seen = new Set<string>()
  for (const item of value.batch) {
    const uuid = uuidOf(item)
    if (seen.has(uuid)) throw new ApiError('invalid_input', `The uuid ${uuid} is in the batch twice.`, { attr: 'uuid' })
    seen.add(uuid)
  }
  return {
    key: headers.key,
    items: value.batch,
    sentAt: headers.sentAt,
    historical: value.historical_migration === true,
  }
}

function uuidOf(item: Json): string {
  const uuid = clientUuid(isObject(item) ? (item as JsonObject).uuid : undefined)
  if (uuid.kind !== 'valid') throw new ApiError('invalid_input', 'Every event needs a valid uuid.', { attr: 'uuid' })
  return uuid.uuid
}
