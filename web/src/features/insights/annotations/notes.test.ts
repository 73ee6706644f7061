import { expect, it } from 'vitest'
import type { Annotation } from '../../../api/contract.ts'
import { annotationsOn, localText, momentOf, notesOf } from './notes.ts'

const annotation = (content: string, more: Partial<Annotation> = {}) =>
  ({ content, date_marker: '2026-11-02T23:30:00Z', scope: 'project', dashboard_item: null, ...more }) as Annotation

it('an annotation is drawn on the charts it is about', () => {
  const all = [
    annotation('project'),
    annotation('all projects', { scope: 'organization' }),
    annotation('insight 1', { scope: 'dashboard_item', dashboard_item: 1 }),
    annotation('no insight', { scope: 'dashboard_item' }),
    annotation('dashboard 2', { scope: 'dashboard', dashboard_id: 2 }),
    annotation('hidden', { hidden_in_user_interface: true }),
    annotation('no day', { date_marker: null }),
  ]
  const on = (place: object) => annotationsOn(all, place).map(({ content }) => content)
  expect(on({})).toEqual(['project', 'all projects', 'no insight'])
  expect(on({ insight: 1 })).toEqual(['project', 'all projects', 'insight 1', 'no insight'])
  expect(on({ insight: 5, dashboard: 2 })).toEqual(['project', 'all projects', 'no insight', 'dashboard 2'])
})

it('it stands in the bucket that its moment lies in, in the zone of the project', () => {
  const days = ['2026-11-01', '2026-11-02', '2026-11-03']
  const dated = annotationsOn([annotation('late', { emoji: '🚀' }), annotation('also')], {})
  expect(notesOf(dated, days, 'UTC')).toEqual([{ at: 1, text: 'also\n🚀 late' }])
  expect(notesOf(dated, days, 'Europe/Berlin')).toEqual([{ at: 2, text: 'also\n🚀 late' }])
  const hours = ['2026-11-02 22:00:00', '2026-11-02 23:00:00']
  expect(notesOf(dated, hours, 'UTC').map(({ at }) => at)).toEqual([1])
  expect(notesOf(dated, ['2026-12-01'], 'UTC')).toEqual([])
})

it('a date and time of the zone is one moment, on both sides of a change of the clock', () => {
  expect(momentOf('2026-11-02T09:30', 'UTC')).toBe('2026-11-02T09:30:00.000Z')
  expect(momentOf('2026-07-02T09:30', 'Europe/Berlin')).toBe('2026-07-02T07:30:00.000Z')
  for (const local of ['2026-03-29T01:30', '2026-03-29T03:30', '2026-10-25T04:30', '2026-01-01T00:00'])
    expect(localText(momentOf(local, 'Europe/Berlin'), 'Europe/Berlin')).toBe(`${local.replace('T', ' ')}:00`)
})
