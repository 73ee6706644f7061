import { describe, expect, it } from 'vitest'
import { figuresOf, plotOf, whyNot } from './shape.ts'

describe('rows as a chart', () => {
  it('go by their words, and each column of numbers is a series', () => {
    expect(
      plotOf(
        ['event', 'times', 'people'],
        [
          ['paid', 3, 2],
          [null, 1, null],
        ],
      ),
    ).toEqual({
      along: 'event',
      labels: ['paid', '(none)'],
      series: [
        { name: 'times', data: [3, 1] },
        { name: 'people', data: [2, null] },
      ],
      parts: false,
      leftOut: 0,
    })
  })

  it('go by their time, from early to late, whatever the order of the query and of its columns', () => {
    const plot = plotOf(
      ['times', 'day'],
      [
        [2, '2026-11-04T00:00:00Z'],
        [1, '2026-11-03T00:00:00Z'],
      ],
    )
    expect([plot?.along, plot?.labels[0], plot?.series[0]?.data]).toEqual(['day', '2026-11-03T00:00:00Z', [1, 2]])
  })

  it('are a series a word where a time, a word and a number meet, largest first', () => {
    const plot = plotOf(
      ['day', 'event', 'times'],
      [
        ['2026-11-03', 'paid', 1],
        ['2026-11-03', 'left', 5],
        ['2026-11-04', 'paid', 2],
      ],
    )
    expect(plot).toEqual({
      along: 'day',
      labels: ['2026-11-03', '2026-11-04'],
      series: [
        { name: 'left', data: [5, null] },
        { name: 'paid', data: [1, 2] },
      ],
      parts: true,
      leftOut: 0,
    })
  })

  it('are named by all their words where no two share one', () => {
    const plot = plotOf(
      ['event', 'browser', 'times'],
      [
        ['paid', 'Chrome', 1],
        ['left', 'Safari', 5],
      ],
    )
    expect([plot?.along, plot?.labels]).toEqual(['event, browser', ['paid · Chrome', 'left · Safari']])
  })

  it('of numbers alone go by the first of them', () => {
    expect(
      plotOf(
        ['hour', 'times'],
        [
          [0, 4],
          [1, 6],
        ],
      ),
    ).toMatchObject({ labels: ['0', '1'], series: [{ name: 'times', data: [4, 6] }] })
  })

  it('draw ten of many series, and say how many are left', () => {
    const rows = Array.from({ length: 12 }, (_, i) => [
      ['2026-11-03', `e${i}`, i + 1],
      ['2026-11-04', `e${i}`, 1],
    ]).flat()
    const plot = plotOf(['day', 'event', 'times'], rows)
    expect([plot?.series.length, plot?.series[0]?.name, plot?.leftOut]).toEqual([10, 'e11', 2])
  })
})

describe('what an answer cannot be shown as', () => {
  it('is said with a reason', () => {
    const words = [['a'], ['b']]
    expect(whyNot('table', ['x'], words)).toBeUndefined()
    expect(whyNot('line', ['x'], words)).toMatch(/numeric column/)
    expect(whyNot('number', ['x'], words)).toMatch(/single row/)
    expect(whyNot('number', ['n', 'x'], [[5, 'five']])).toBeUndefined()
    expect(figuresOf(['n', 'x', 'm'], [[5, 'five', 0.5]])).toEqual([
      { name: 'n', value: 5 },
      { name: 'm', value: 0.5 },
    ])
    const many = Array.from({ length: 2_001 }, (_, i) => [`e${i}`, i])
    expect(whyNot('bar', ['e', 'n'], many)).toMatch(/2,000 rows/)
    expect(whyNot('bar', ['e', 'n'], [])).toBeTruthy()
    expect(whyNot('bar', ['n', 'm'], [[1, 2]])).toBeTruthy()
    expect([whyNot('bar', ['e', 'n'], [['a', 2]]), whyNot('line', ['e', 'n'], [['a', 2]])]).toEqual([
      undefined,
      'Needs at least two rows',
    ])
    expect(whyNot('bar', ['properties', 'n'], [[{ a: 1 }, 1]])).toBeTruthy()
  })
})
