import { expect, it } from 'vitest'
import { fitted, logged } from './chart-marks.ts'

it('a trend line goes through what lies on a line, and does not follow the bucket in progress', () => {
  expect(fitted([1, 3, 5, 7], false)).toEqual([1, 3, 5, 7])
  expect(fitted([1, 3, 5, 0], true)).toEqual([1, 3, 5, 7])
  expect(fitted([2, null, 4], false)).toEqual([2, 3, 4])
  expect(fitted([5], false)).toBe(null)
})

it('a logarithmic axis leaves out what it has no place for', () => {
  const plot = logged({
    labels: ['a', 'b', 'c'],
    series: [{ name: 'x', colour: '--s1', data: [0, 10, -1] }],
    goals: [{ label: 'none', value: 0 }],
  })
  expect(plot.series[0]?.data).toEqual([null, 10, null])
  expect(plot.goals).toEqual([])
})
