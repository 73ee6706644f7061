import { describe, expect, it } from 'vitest'
import { UuidsInProgress } from './uuids-in-progress.ts'

const never = new AbortController().signal

describe('uuids under way', () => {
  it('are claimed once, by whatever partition comes first, and free again when delivered', () => {
    const inProgress = new UuidsInProgress([])
    const live = inProgress.claimsOf('live-0')
    const imported = inProgress.claimsOf('historical')
    expect(live.claim(1, 'a')).toBe(true)
    expect([live.claim(1, 'a'), imported.claim(1, 'a'), imported.claim(2, 'a')]).toEqual([false, false, true])
    live.release()
    expect(imported.claim(1, 'a')).toBe(true)
    live.release()
    expect(inProgress.claimsOf('live-1').claim(1, 'a')).toBe(false)
  })

  it('of a batch that came to nothing are free when its partition starts over, those of others are not', () => {
    const inProgress = new UuidsInProgress([])
    inProgress.claimsOf('live-0').claim(1, 'a')
    inProgress.claimsOf('live-1').claim(1, 'b')
    const owed = inProgress.restart('live-0', [{ projectId: 1, uuid: 'c' }])
    const next = inProgress.claimsOf('live-0')
    expect(['a', 'b', 'c'].map((uuid) => next.claim(1, uuid))).toEqual([true, false, false])
    owed.release()
    expect(next.claim(1, 'c')).toBe(true)
  })

  it('are decided about only when every partition has said what it owes, or never when it is time to stop', async () => {
    const inProgress = new UuidsInProgress(['live-0', 'live-1'])
    const order: string[] = []
    inProgress.restart('live-0', [])
    const all = inProgress.allStarted(never).then(() => order.push('all started'))
    await inProgress.allStarted(AbortSignal.abort())
    order.push('stopped')
    inProgress.restart('live-1', [])
    await all
    await inProgress.allStarted(never)
    expect(order).toEqual(['stopped', 'all started'])
  })
})
