import { Writable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csvLine } from '../../lib/csv.ts'
import { flatten, writeCsv } from './csv.ts'

/** The other way round, by the rules of RFC 4180. */
function cellsOf(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (let at = 0; at < text.length; ) {
    let cell = ''
    if (text[at] === '"') {
      for (at++; ; at++) {
        if (text[at] === '"' && text[at + 1] === '"') cell += text[at++]
        else if (text[at] === '"') break
        else cell += text[at]
      }
      at++
    } else while (at < text.length && text[at] !== ',' && text[at] !== '\r') cell += text[at++]
    row.push(cell)
    if (text[at] === ',') at++
    else {
      rows.push(row)
      row = []
      at += 2
    }
  }
  return rows
}

describe('CSV', () => {
  it.each([
    ['=HYPERLINK("http://evil.example")', '"\'=HYPERLINK(""http://evil.example"")"'],
    ['+1', "'+1"],
    ['-1+cmd', "'-1+cmd"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['-5', '-5'],
    ['-5.25e-3', '-5.25e-3'],
    ['a=b', 'a=b'],
  ])('writes %j so that no spreadsheet runs it', (cell, written) => expect(csvLine([cell])).toBe(`${written}\r\n`))

  it('reads back as it was written', () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: fc.constantFrom('a', '=', '-', '@', '+', '\t', '"', ',', '\r', '\n', ' ', 'é', ';') }),
          { minLength: 1 },
        ),
        (cells) => {
          // What a spreadsheet would run has an apostrophe in front.
          const written = cells.map((cell) => (/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell))
          expect(cellsOf(csvLine(cells))).toEqual([written])
        },
      ),
    ))

  it('names nested values by their path', () =>
    expect(
      Object.fromEntries(
        flatten({ id: 1, list: ['a', { b: null }], none: [], at: new Date(0), no: undefined, yes: true }),
      ),
    ).toEqual({ id: '1', 'list.0': 'a', 'list.1.b': '', at: '1970-01-01T00:00:00.000Z', yes: 'true' }))

  it('sorts columns by code point and leaves cells empty that a record lacks', async () => {
    let text = ''
    const out = new Writable({
      write(chunk, _encoding, done) {
        text += chunk
        done()
      },
    })
    await writeCsv(out, async function* () {
      yield [{ b: 1, Z: 2 }]
      yield [{ a: 3, é: 4 }]
    })
    expect(text).toBe('Z,a,b,é\r\n2,,1,\r\n,3,,4\r\n')
  })

  it('waits for a slow reader and leaves nothing behind on the stream', async () => {
    let waiting = 0
    const out = new Writable({
      highWaterMark: 1,
      write(_chunk, _encoding, done) {
        waiting = Math.max(waiting, out.listenerCount('close') + out.listenerCount('drain'))
        setImmediate(done)
      },
    })
    const before = ['close', 'drain', 'error'].map((event) => out.listenerCount(event))
    await writeCsv(out, async function* () {
      for (let n = 0; n < 50; n++) yield [{ n }]
    })
    expect(waiting).toBeLessThanOrEqual(2 + (before[0] ?? 0) + (before[1] ?? 0))
    expect(['close', 'drain', 'error'].map((event) => out.listenerCount(event))).toEqual(before)
  })
})
