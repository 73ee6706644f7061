import { keyed } from '../../../lib/keyed.ts'
import { Button, Checkbox, IconButton, Select } from '../../../ui/controls.tsx'
import type { Draft } from '../draft.ts'
import { type FilterGroup, type FilterGroups, filteredBy, groupsOf, type Match, MOST_GROUPS } from '../filter-groups.ts'
import { FilterList } from '../filter-list.tsx'
import { without } from './without.ts'

const BOTS_SAID = ['exclude', 'only'] as const
const BOTS = [
  { value: '', label: 'Bots are counted' },
  { value: 'exclude', label: 'Without bots' },
  { value: 'only', label: 'Only bots' },
]

const MATCHES = [
  { value: 'all', label: 'all of these' },
  { value: 'any', label: 'any of these' },
]

/** Which events count: one list of conditions, or several groups of them. */
export function FilterPart({ draft, onChange }: { draft: Draft; onChange: (draft: Draft) => void }) {
  const { match, groups } = groupsOf(draft)
  const set = (next: FilterGroups) => {
    const { filters: _, filterGroups: __, ...rest } = draft
    onChange({ ...rest, ...filteredBy(next) })
  }
  const replace = (index: number, next: FilterGroup) =>
    set({ match, groups: groups.map((other, i) => (i === index ? next : other)) })
  const remove = (index: number) => set({ match, groups: groups.filter((_, i) => i !== index) })
  const several = groups.length > 1
  return (
    <section className="builder-part" aria-label="Filters">
      <h3>Filters</h3>
      {keyed(groups).map(({ key, item: group, index }) => (
        <div key={key} className="filter-group-place">
          {index > 0 && (
            <Select
              label="How groups are joined"
              className="small-select"
              value={match}
              options={[
                { value: 'all', label: 'and' },
                { value: 'any', label: 'or' },
              ]}
              onChange={(event) => set({ match: event.target.value as Match, groups })}
            />
          )}
          <div className={several ? 'filter-group' : 'filter-group-only'}>
            {(several || group.filters.length > 1) && (
              <div className="row small soft">
                Match
                <Select
                  label={several ? `How group ${index + 1} is matched` : 'All or any of the filters'}
                  className="small-select"
                  value={group.match}
                  options={MATCHES}
                  onChange={(event) => replace(index, { ...group, match: event.target.value as Match })}
                />
                <span className="grow" />
                {several && (
                  <IconButton small label={`Remove group ${index + 1}`} icon="close" onClick={() => remove(index)} />
                )}
              </div>
            )}
            <FilterList
              filters={group.filters}
              types={['event', 'person', 'session', 'group']}
              event={draft.series[0]?.event}
              onChange={(filters) => replace(index, { ...group, filters })}
              label="Add a filter"
            />
          </div>
        </div>
      ))}
      {groups.length < MOST_GROUPS && groups.every(({ filters }) => filters.length > 0) && (
        <div className="filter-group-add">
          <Button
            small
            kind="quiet"
            icon="plus"
            onClick={() => set({ match: several ? match : 'any', groups: [...groups, { match: 'all', filters: [] }] })}
          >
            Add a group
          </Button>
        </div>
      )}
      <Checkbox
        checked={draft.testAccounts === true}
        onChange={(event) => onChange(without(draft, 'testAccounts', event.target.checked || undefined))}
      >
        Exclude test accounts
      </Checkbox>
      <div>
        <Select
          label="Bots"
          className="small-select"
          value={draft.bots ?? ''}
          options={BOTS}
          onChange={({ target }) =>
            onChange(
              without(
                draft,
                'bots',
                BOTS_SAID.find((said) => said === target.value),
              ),
            )
          }
        />
      </div>
    </section>
  )
}
