import { describe, expect, it } from 'vitest'
import { colourIndexes } from './series-colours.ts'

const TEN = Array.from({ length: 10 }, (_, index) => `value ${index}`)

describe('colours of series', () => {
  it('no two of ten share one, also after the first ten', () => {
    expect(new Set(colourIndexes(TEN)).size).toBe(10)
    const more = Array.from({ length: 10 }, (_, index) => `another ${index}`)
    expect(new Set(colourIndexes([...TEN, ...more]).slice(10)).size).toBe(10)
  })

  it('come from the names alone: not from their order, nor from what was drawn before', () => {
    const straight = colourIndexes(TEN)
    expect(colourIndexes(TEN.toReversed())).toEqual(straight.toReversed())
    expect(colourIndexes(TEN)).toEqual(straight)
    // Written down: another build, another browser and another day give the same.
    expect(colourIndexes(['signed up', 'created board', 'completed task', 'Page view'])).toEqual([2, 5, 9, 0])
  })

  it('stay with a name beside others that want another one', () => {
    const [wanted] = colourIndexes(['value 3'])
    const others = TEN.filter((name) => colourIndexes([name])[0] !== wanted)
    expect(others.length).toBeGreaterThan(3)
    // One that gives way may take it only from a name whose turn comes later.
    for (const other of others) expect(colourIndexes([other, 'value 3'])[1]).toBe(wanted)
  })

  it('of two that want the same, the same one gives way beside any others', () => {
    const names = ['paid', 'left', 'joined', 'asked', 'bought', 'wrote', 'read', 'sent', 'opened', 'closed', 'moved']
    const same = names
      .flatMap((a) => names.map((b) => [a, b] as const))
      .find(([a, b]) => a < b && colourIndexes([a])[0] === colourIndexes([b])[0])
    if (!same) throw new Error('eleven names in ten colours want some colour twice')
    expect(colourIndexes(same.toReversed()).toReversed()).toEqual(colourIndexes([...same]))
  })

  it('all the others together are grey and take no colour away', () => {
    expect(colourIndexes([...TEN, 'Other'])).toEqual([...colourIndexes(TEN), 10])
    expect(colourIndexes(['Other', ...TEN])).toEqual([10, ...colourIndexes(TEN)])
  })

  it('what is seen most often has the calmest colour', () => {
    expect(colourIndexes(['zzz', 'Page view'])[1]).toBe(0)
  })

  it('are numbers whatever a series is called', () => {
    for (const index of colourIndexes(['constructor', '__proto__', 'toString', ''])) expect(index).toBeTypeOf('number')
  })
})
