import { describe, expect, it } from 'vitest'
import { eventName, propertyName } from './names.ts'

describe('names', () => {
  it('of the wire are said in words, all others as they are', () => {
    expect(eventName('$pageview')).toBe('Page view')
    expect(propertyName('$initial_referring_domain')).toBe('First referring domain')
    expect(eventName('bought')).toBe('bought')
  })

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('%s is a name like any other', (name) => {
    expect(eventName(name)).toBe(name)
    expect(propertyName(name)).toBe(name)
  })
})
