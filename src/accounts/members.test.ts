import { describe, expect, it } from 'vitest'
import { mayChangeLevel, mayRemove } from './members.ts'

const owner = { id: 1, level: 'owner' } as const
const admin = { id: 2, level: 'admin' } as const
const member = { id: 3, level: 'member' } as const

describe('who may change whom', () => {
  it.each([
    ['an owner makes an owner', owner, member, 'owner', true],
    ['an admin makes an admin', admin, member, 'admin', true],
    ['an admin makes no owner', admin, member, 'owner', false],
    ['an admin leaves an owner alone', admin, owner, 'member', false],
    ['a member changes nobody', member, admin, 'member', false],
    ['nobody changes themselves', owner, owner, 'admin', false],
  ] as const)('%s', (_, actor, other, level, allowed) =>
    expect(mayChangeLevel(actor, other, level) === null).toBe(allowed),
  )

  it.each([
    ['an admin removes a member', admin, member, 1, true],
    ['an admin does not remove an owner', admin, owner, 2, false],
    ['a member removes nobody else', member, admin, 1, false],
    ['a member leaves', member, member, 1, true],
    ['the last owner stays', owner, owner, 1, false],
    ['one owner of two leaves', owner, owner, 2, true],
  ] as const)('%s', (_, actor, other, owners, allowed) =>
    expect(mayRemove(actor, other, owners) === null).toBe(allowed),
  )
})
