import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { AUTHENTICATION_FAILED, Credentials } from './credentials.ts'
import { ClickHouseFailure } from './failure.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'footfall-credentials-'))
afterAll(() => rmSync(folder, { recursive: true }))
const secretFile = path.join(folder, 'secret')
const refused = new ClickHouseFailure('no', { code: AUTHENTICATION_FAILED, type: '', kind: 'unavailable' })

it('everybody who used the old secret is told that there is a new one, not only the first who was refused', () => {
  writeFileSync(secretFile, 'old')
  const credentials = new Credentials({ username: 'default', password: '', secretFile })
  const { password: used } = credentials.auth
  expect(credentials.renewedAfter(refused, used)).toBe(false)
  writeFileSync(secretFile, 'new')
  expect([1, 2, 3].map(() => credentials.renewedAfter(refused, used))).toEqual([true, true, true])
  expect(credentials.auth.password).toBe('new')
  expect(credentials.renewedAfter(refused, 'new')).toBe(false)
})

it('another failure, and credentials that nobody renews, are no reason to try again', () => {
  writeFileSync(secretFile, 'old')
  const credentials = new Credentials({ username: 'default', password: '', secretFile })
  writeFileSync(secretFile, 'new')
  const heavy = new ClickHouseFailure('no', { code: 241, type: '', kind: 'too_heavy' })
  expect(credentials.renewedAfter(heavy, 'old')).toBe(false)
  expect(new Credentials({ username: 'default', password: 'a' }).renewedAfter(refused, 'b')).toBe(false)
})
