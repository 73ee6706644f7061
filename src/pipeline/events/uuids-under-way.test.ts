import { describe, expect, it } from 'vitest'
import { UuidsUnderWay } from './uuids-under-way.ts'

const never = new AbortController().signal

describe('uuids under way', () => {
  it('are claimed once, by whatever partition comes first, and free again when delivered', () => {
    const underWay = new UuidsUnderWay([])
    const live = underWay.claimsOf('live-0')
    const imported = underWay.claimsOf('historical')
    expect(live.claim(1, 'a')).toBe(true)
    expect([live.claim(1, 'a'), imported.claim(1, 'a'), imported.claim(2, 'a')]).toEqual([false, false, true])
    live.release()
    expect(imported.claim(1, 'a')).toBe(true)
    live.release()
    expect(underWay.claimsOf('live-1').claim(1, 'a')).toBe(false)
  })

  it('of a batch that came to nothing are free when its partition starts over, those of others are not', () => {
    const underWay = new UuidsUnderWay([])
    underWay.claimsOf('live-0').claim(1, 'a')
    underWay.claimsOf('live-1').claim(1, 'b')
    const owed = underWay.startOver('live-0', [{ projectId: 1, uuid: 'c' }])
    const next = underWay.claimsOf('live-0')
    expect(['a', 'b', 'c'].map((uuid) => next.claim(1, uuid))).toEqual([true, false, false])
    owed.release()
    expect(next.claim(1, 'c')).toBe(true)
  })

  it('are decided about only when every partition has said what it owes, or never when it is time to stop', async () => {
    const underWay = new UuidsUnderWay(['live-0', 'live-1'])
    const order: string[] = []
    underWay.startOver('live-0', [])
    const all = underWay.allStarted(never).then(() => order.push('all started'))
    await underWay.allStarted(AbortSignal.abort())
    order.push('stopped')
    underWay.startOver('live-1', [])
    await all
    await underWay.allStarted(never)
    expect(order).toEqual(['stopped', 'all started'])
  })
})
