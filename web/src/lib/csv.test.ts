import { expect, it } from 'vitest'
import { csvLine } from '../../../src/lib/csv.ts'
import { csvText } from './csv.ts'

it('writes rows that spreadsheets read as they are and never run', () => {
  const rows = [
    [1, null],
    ['=1+1', -5],
    ['-2+3', '@sum'],
    ['\tx', '+49 170'],
    [{ x: 1 }, 'two\nlines'],
  ]
  expect(csvText([['a', 'b "c"'], ...rows]).split('\r\n')).toEqual([
    'a,"b ""c"""',
    '1,',
    "'=1+1,-5",
    "'-2+3,'@sum",
    "'\tx,'+49 170",
    '"{""x"":1}","two\nlines"',
    '',
  ])
})

it('writes as the server does', () => {
  const cells = ['=1', '+1', '-1', '-1.5e3', '-1-1', '@a', '\ta', '\ra', 'a,b', '"', '', "'=x", 7, -7, null]
  for (const cell of cells) expect(csvText([[cell]])).toBe(csvLine([cell]))
})
