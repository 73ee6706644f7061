import { expect, it } from 'vitest'
import { filledIn } from './filled-in.ts'

it('a statement with its values in it needs nothing else', () => {
  const sql =
    'SELECT {p0:String}, {p1:UInt64} FROM x WHERE id = {p2:UUID} AND a IN {p3:Array(String)} AND b = {p4:Array(UInt8)}'
  const parameters = { p0: "it's \\ {p1:UInt64}", p1: 5, p2: '0190aa', p3: ['a', "b'"], p4: [] }
  expect(filledIn(sql, parameters)).toBe(
    "SELECT 'it\\'s \\\\ {p1:UInt64}', 5 FROM x WHERE id = toUUID('0190aa') AND a IN ['a', 'b\\''] AND b = CAST([], 'Array(UInt8)')",
  )
  expect(filledIn('SELECT {unknown:String}', {})).toBe('SELECT {unknown:String}')
})
