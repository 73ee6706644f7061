/** Whether the values of filters can be read at all: as the matching of flags reads them. */
import { momentOf } from '../operators/dates.ts'
import { versionTest } from '../operators/versions.ts'
import { wrongInPattern } from '../patterns/match.ts'
import type { Readable } from './filter.ts'

export const READABLE: Readable = {
  pattern: wrongInPattern,
  date: (text) => momentOf(text, 'UTC') !== undefined,
  version: (text, operator) => versionTest(operator, text) !== undefined,
}
