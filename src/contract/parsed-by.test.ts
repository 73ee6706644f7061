import { expect, test } from 'vitest'
import { z } from 'zod'
import { parsedBy } from './parsed-by.ts'

const schema = z.object({ names: z.array(z.string().max(5)).max(3), title: z.string().min(1).max(9).optional() })

test('what zod reads is read, and what it refuses is refused', () => {
  expect(parsedBy(schema, { names: ['a'] })).toMatchObject({ success: true, data: { names: ['a'] } })
  expect(parsedBy(schema, { names: 1 }).error?.issues[0]?.path).toEqual(['names'])
})

test.each([
  [{ names: { length: { toString: 1 } } }, ['names']],
  [{ names: [{ length: { valueOf: null, toString: null } }] }, ['names', '0']],
  [{ names: [], title: { length: { toString: 'x' } } }, ['title']],
])('an object whose length cannot be compared is refused, with its place: %j', (value, path) => {
  const { success, error } = parsedBy(schema, value)
  expect([success, error?.issues[0]?.path]).toEqual([false, path])
})

test('what a schema of ours throws by itself is not hidden', () => {
  const broken = z.string().transform(() => {
    throw new TypeError('ours')
  })
  expect(() => parsedBy(broken, 'x')).toThrow('ours')
})
