import { describe, expect, it } from 'vitest'
import { colourIndexes } from './series-colours.ts'

describe('colours of series', () => {
  it('stay with a name, and no two of ten share one', () => {
    const names = Array.from({ length: 10 }, (_, index) => `value ${index}`)
    expect(new Set(colourIndexes(names)).size).toBe(10)
    expect(colourIndexes(['value 3'])).toEqual(colourIndexes(['value 3', 'value 4']).slice(0, 1))
  })

  it('stay with a name beside any others, and after any others', () => {
    const names = Array.from({ length: 7 }, (_, index) => `event ${index}`)
    const known = new Map<string, number>()
    const alone = names.map((name) => colourIndexes([name], known)[0])
    expect(new Set(alone).size).toBe(7)
    expect(colourIndexes(names, known)).toEqual(alone)
    expect(colourIndexes([...names].reverse(), known)).toEqual([...alone].reverse())
    expect(colourIndexes(['Page view', names[3] ?? ''], known)[0]).toBe(0)
  })

  it('all the others together are grey and take no colour away', () => {
    const names = Array.from({ length: 10 }, (_, index) => `value ${index}`)
    expect(colourIndexes([...names, 'Other'])).toEqual([...colourIndexes(names), 10])
    expect(colourIndexes(['Other', ...names])).toEqual([10, ...colourIndexes(names)])
  })

  it('are numbers whatever a series is called', () => {
    for (const index of colourIndexes(['constructor', '__proto__', 'toString', ''])) expect(index).toBeTypeOf('number')
  })
})
