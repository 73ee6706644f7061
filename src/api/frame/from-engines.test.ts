import { expect, test } from 'vitest'
import { ClickHouseFailure } from '../../engines/clickhouse/index.ts'
import { fromEngines } from './from-engines.ts'

const postgres = (code: string) => Object.assign(new Error('of Postgres'), { code })
const clickhouse = (kind: 'unavailable' | 'too_heavy') =>
  new ClickHouseFailure('of ClickHouse', { code: 1, type: 'X', kind })

test.each([
  ['a full disk', postgres('53100'), 503, 'unavailable', 30],
  ['a server that shuts down', postgres('57P01'), 503, 'unavailable', 2],
  ['a lost connection', postgres('08006'), 503, 'unavailable', 2],
  ['a ClickHouse that is away', clickhouse('unavailable'), 503, 'unavailable', 2],
  ['a statement that took too long', postgres('57014'), 400, 'query_too_heavy', undefined],
  ['a question that needs too much', clickhouse('too_heavy'), 400, 'query_too_heavy', undefined],
  ['text with NUL', postgres('22021'), 400, 'invalid_input', undefined],
])('%s has an answer of its own', (_, error, status, code, retryAfterSeconds) => {
  expect(fromEngines(error)).toMatchObject({ status, code, retryAfterSeconds })
})

test('what is nobody else’s fault stays what it is', () => {
  const bug = postgres('42601')
  expect(fromEngines(bug)).toBe(bug)
})
