import { expect, it } from 'vitest'
import { csvOf } from './csv.ts'

it('writes rows that spreadsheets read as they are and never run', () => {
  expect(
    csvOf(
      ['a', 'b "c"'],
      [
        [1, null],
        ['=1+1', -5],
        [{ x: 1 }, 'two\nlines'],
      ],
    ),
  ).toBe('"a","b ""c"""\r\n"1",""\r\n"\'=1+1","-5"\r\n"{""x"":1}","two\nlines"')
})
