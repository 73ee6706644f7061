import { describe, expect, it } from 'vitest'
import { placeOf } from './place.ts'

const TEXT = 'select event, cout()\nfrom event'

describe('where an error is', () => {
  it.each([
    ['Expected FROM at line 2, column 1, found "from".', { from: 21, to: 25, line: 2, column: 1 }],
    ['There is no function "cout" that queries may use.', { from: 14, to: 18, line: 1, column: 15 }],
    ['Unknown table "event". There are events, persons.', { from: 7, to: 12, line: 1, column: 8 }],
    [
      'Unknown table "event". There are events. Did you mean "events"? (line 2, column 6)',
      { from: 26, to: 31, line: 2, column: 6 },
    ],
    ['Unable to resolve field: event', { from: 7, to: 12, line: 1, column: 8 }],
    ['The query ends where ")" was expected.', { from: 30, to: 31, line: 2, column: 10 }],
    ['Unexpected "\\u0001" at line 9, column 99.', { from: 30, to: 31, line: 2, column: 10 }],
  ])('%s', (message, place) => expect(placeOf(message, TEXT)).toEqual(place))

  it('is nowhere when the words name nothing in the text', () => {
    expect(placeOf('The query reads too many tables.', TEXT)).toBeNull()
    expect(placeOf('There is no function "sum" that queries may use.', 'select summary')).toBeNull()
    expect(placeOf('Unexpected "x" at line 1, column 1.', '')).toBeNull()
  })
})
