import { stat } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { hashPassword, passwordMatches } from './password-hashing.ts'
import { isCommonPassword } from './weak-passwords.ts'

it('a password matches its hash and no other', async () => {
  const stored = await hashPassword('correct horse battery')
  expect(stored).toMatch(/^scrypt\$[0-9a-f]{32}\$[0-9a-f]{64}$/)
  expect(await passwordMatches('correct horse battery', stored)).toBe(true)
  expect(await passwordMatches('correct horse batterz', stored)).toBe(false)
})

it('a password that an older version hashed still matches', async () => {
  const stored =
    'scrypt$000102030405060708090a0b0c0d0e0f$62d543fcda53a480fbcefe368aa79e4670642d48e886d8f0eb47b1e0a412b78a'
  expect(await passwordMatches('an old password', stored)).toBe(true)
})

it('hashing many passwords keeps nobody from reading files', async () => {
  let done = 0
  const hashing = Array.from({ length: 12 }, (_, n) =>
    hashPassword(`password ${n}`, `192.0.2.${n}`).then(() => {
      done++
    }),
  )
  // In libuv's pool these would stand behind all the hashes.
  await Promise.all(Array.from({ length: 8 }, () => stat('.')))
  expect(done).toBeLessThan(8)
  await Promise.all(hashing)
})

it.each([
  'password',
  'P@ssw0rd!',
  'Password2024',
  '12345678',
  '1234567890',
  'qwertyuiop',
  'asdfqwer1234',
  'aaaaaaaa',
  'abcabcabc',
  'iloveyou1',
  'letmein123',
  'sunshine!',
  'welcomehome',
  'ada.owner',
  'ada.owner1',
])('%s is a common password', (password) => expect(isCommonPassword(password, ['ada.owner@example.com'])).toBe(true))

it.each(['correct horse battery', 'long enough', 'staple of a battery', 'another good one', 'tr0ub4dor&3', 'xK9#mq2L'])(
  '%s is none',
  (password) => expect(isCommonPassword(password, ['ada.owner@example.com', 'Ada', ''])).toBe(false),
)
