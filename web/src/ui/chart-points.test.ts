import { expect, it } from 'vitest'
import { pointAfter, pointsOf } from './chart-points.ts'
import { CONTINUES } from './chart-tip.ts'

const OPTION = {
  xAxis: { data: ['Mon', 'Tue', 'Wed'] },
  series: [
    { name: 'a', type: 'line', data: [1, 2, null] },
    { name: 'b', type: 'line', data: [4, null, { value: 6 }] },
    { name: `${CONTINUES}a`, type: 'line', data: [null, 2, 3] },
    { name: '\u0001marks', type: 'line', data: [9, 9, 9] },
  ],
}

it('arrow keys reach every point of every series, the bucket in progress too, and nothing else', () => {
  const rows = pointsOf(OPTION)
  expect(rows.map((row) => row.map(({ words }) => words))).toEqual([
    ['Mon, a: 1', 'Tue, a: 2', 'Wed, a: 3'],
    ['Mon, b: 4', 'Wed, b: 6'],
  ])
  // The point in progress is drawn by the series that continues the other.
  expect(rows[0]?.[2]?.seriesIndex).toBe(2)
  const walk = (...keys: string[]) =>
    keys.reduce((at: ReturnType<typeof pointAfter>, key) => pointAfter(rows, at, key), undefined)?.words
  expect(walk('ArrowLeft')).toBe('Wed, a: 3')
  expect(walk('Home', 'ArrowLeft')).toBe('Mon, a: 1')
  expect(walk('Home', 'ArrowDown')).toBe('Mon, b: 4')
  expect(walk('Home', 'ArrowDown', 'ArrowDown')).toBe('Mon, a: 1')
  expect(walk('End', 'ArrowUp')).toBe('Wed, b: 6')
  expect(walk('x')).toBeUndefined()
})

it('paths and parts of a whole are one after the other', () => {
  const links = [{ source: '1_/', target: '2_/pricing', value: 5 }]
  expect(pointsOf({ series: [{ type: 'sankey', data: [{ name: '1_/' }], links }] })[0]?.[0]?.words).toBe(
    '/ to /pricing: 5',
  )
  const [parts] = pointsOf({ series: [{ type: 'pie', data: [{ name: 'Chrome', value: 3 }] }] })
  expect(parts?.map(({ words, dataIndex }) => [words, dataIndex])).toEqual([['Chrome: 3', 0]])
})
