import { expect, it } from 'vitest'
import { shortLabels, uniqueLabels } from './labels.ts'

it('days, hours and months are named as people name them', () => {
  expect(shortLabels(['2026-11-03', '2026-11-04'])).toEqual(['3 Nov', '4 Nov'])
  expect(shortLabels(['2026-11-03 00:00:00', '2026-11-03 01:00:00'])).toEqual(['3 Nov 00:00', '3 Nov 01:00'])
  expect(shortLabels(['2026-11-01 00:00:00', '2026-12-01 00:00:00'])).toEqual(['Nov 2026', 'Dec 2026'])
  expect(shortLabels(['2026-11-01'])).toEqual(['1 Nov'])
  expect(shortLabels(['3 days'])).toEqual(['3 days'])
})

it('two columns of one name are told apart', () => {
  expect(uniqueLabels(['3 Nov', '4 Nov', '3 Nov'])).toEqual(['3 Nov', '4 Nov', '3 Nov (3)'])
})
