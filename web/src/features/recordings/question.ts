import { LAST_30_DAYS } from '../../lib/usual-ranges.ts'
import { isComplete } from '../insights/index.ts'
import type { RecordingSearch } from './search.ts'

export const DEFAULT_FROM = LAST_30_DAYS
export const PAGE_SIZE = 50

const durationOf = ({ longer }: RecordingSearch) =>
  Number(longer) > 0 ? [{ type: 'recording', key: 'duration', operator: 'gt', value: Number(longer) }] : []

/** What must have happened, one leaf each. */
function leavesOf({ filters = [], did = [], page, errors }: RecordingSearch): object[] {
  return [
    ...did.map((name) => ({ type: 'events', id: name, name })),
    ...filters.filter(isComplete),
    ...(page ? [{ type: 'recording', key: 'visited_page', operator: 'icontains', value: page }] : []),
    ...(errors ? [{ type: 'log_entry', key: 'level', operator: 'exact', value: ['error'] }] : []),
  ]
}

const groupOf = (search: RecordingSearch) => ({
  type: 'AND',
  values: [{ type: 'AND', values: leavesOf(search) }],
})

/** As the list of recordings is asked. */
export function askedOf(search: RecordingSearch): Record<string, string | number | undefined> {
  const { from = DEFAULT_FROM, to, order = 'start_time', unseen, real, many = PAGE_SIZE } = search
  const duration = durationOf(search)
  return {
    date_from: from,
    date_to: to,
    order,
    limit: many,
    ...(leavesOf(search).length > 0 ? { filter_group: JSON.stringify(groupOf(search)) } : {}),
    ...(duration.length > 0 ? { having_predicates: JSON.stringify(duration) } : {}),
    ...(unseen ? { hide_viewed_recordings: 'current-user' } : {}),
    ...(real ? { filter_test_accounts: 'true' } : {}),
  }
}

/** As a playlist keeps it. */
export function playlistFilters(search: RecordingSearch): object {
  const { from = DEFAULT_FROM, to, order = 'start_time', real = false } = search
  return {
    date_from: from,
    date_to: to ?? null,
    filter_test_accounts: real,
    duration: durationOf(search),
    filter_group: groupOf(search),
    order,
  }
}

/** What somebody has chosen, apart from dates and order. */
export const isNarrowed = ({ filters = [], did = [], page, errors, longer, unseen, real }: RecordingSearch): boolean =>
  filters.length > 0 ||
  did.length > 0 ||
  page !== undefined ||
  errors === true ||
  Number(longer) > 0 ||
  unseen === true ||
  real === true
