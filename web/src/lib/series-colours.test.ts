import { describe, expect, it } from 'vitest'
import { colourIndexes } from './series-colours.ts'

describe('colours of series', () => {
  it('stay with a name, and no two of ten share one', () => {
    const names = Array.from({ length: 10 }, (_, index) => `value ${index}`)
    expect(new Set(colourIndexes(names)).size).toBe(10)
    expect(colourIndexes(['value 3'])).toEqual(colourIndexes(['value 3', 'value 4']).slice(0, 1))
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
