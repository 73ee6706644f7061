import { describe, expect, it } from 'vitest'
import { askedOf, isNarrowed, playlistFilters } from './question.ts'
import type { RecordingSearch } from './search.ts'

const everything: RecordingSearch = {
  from: '-7d',
  did: ['paid'],
  page: '/import',
  errors: true,
  longer: '60',
  unseen: true,
  real: true,
  filters: [
    { key: '$browser', type: 'event', operator: 'exact', value: ['Firefox'] },
    { key: 'plan', type: 'person', operator: 'exact' },
  ],
}

describe('which recordings are wanted', () => {
  it('asks for the newest of the last month when nothing was chosen', () => {
    expect(askedOf({})).toEqual({ date_from: '-29d', date_to: undefined, order: 'start_time', limit: 50 })
    expect(isNarrowed({})).toBe(false)
  })

  it('asks the list and a playlist for the same, and leaves out a filter without a value', () => {
    const asked = askedOf(everything)
    const kept = playlistFilters(everything) as { filter_group: unknown; duration: unknown }
    expect(JSON.parse(String(asked.filter_group))).toEqual(kept.filter_group)
    expect(kept.filter_group).toEqual({
      type: 'AND',
      values: [
        {
          type: 'AND',
          values: [
            { type: 'events', id: 'paid', name: 'paid' },
            { key: '$browser', type: 'event', operator: 'exact', value: ['Firefox'] },
            { type: 'recording', key: 'visited_page', operator: 'icontains', value: '/import' },
            { type: 'log_entry', key: 'level', operator: 'exact', value: ['error'] },
          ],
        },
      ],
    })
    expect(JSON.parse(String(asked.having_predicates))).toEqual(kept.duration)
    expect(asked).toMatchObject({ hide_viewed_recordings: 'current-user', filter_test_accounts: 'true' })
    expect(isNarrowed(everything)).toBe(true)
  })
})
