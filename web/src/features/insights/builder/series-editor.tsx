import { useQuery } from '@tanstack/react-query'
import { useProject } from '../../../api/project.tsx'
import { groupTypes } from '../../../api/queries.ts'
import { keyed } from '../../../lib/keyed.ts'
import { eventName, propertyName } from '../../../lib/names.ts'
import { colourIndexes, cssColour } from '../../../lib/series-colours.ts'
import { Button, IconButton, type Option, Select } from '../../../ui/controls.tsx'
import { Picker } from '../../../ui/picker.tsx'
import type { Draft, Series } from '../draft.ts'
import { FilterList } from '../filter-list.tsx'
import { freeProperty, readChoice, usePropertyChoices } from '../property-choices.ts'
import { EventPicker } from './event-picker.tsx'
import { MATHS, needsProperty } from './maths.ts'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** The events that are counted, or the steps of a funnel. */
export function SeriesEditor({ draft, onChange }: { draft: Draft; onChange: (draft: Draft) => void }) {
  const { series, kind } = draft
  const steps = kind === 'funnel'
  const set = (next: Series[]) => onChange({ ...draft, series: next })
  const replace = (index: number, next: Series) => set(series.map((other, i) => (i === index ? next : other)))
  const colours = colourIndexes(series.map(({ event, name }) => name || eventName(event)))
  const lettered = steps || kind !== 'lifecycle'
  return (
    <section className="builder-part" aria-label={steps ? 'Steps' : 'Series'}>
      <h3>{steps ? 'Steps' : kind === 'lifecycle' ? 'Event' : 'Series'}</h3>
      {keyed(series).map(({ key, item: one, index }) => (
        <div className="series" key={key}>
          <div className="row">
            {lettered && (
              <span
                className="series-mark"
                style={steps || draft.breakdown?.length ? {} : { ['--mark' as string]: cssColour(colours[index] ?? 0) }}
              >
                {steps ? index + 1 : LETTERS[index]}
              </span>
            )}
            <EventPicker
              value={one.event}
              name={one.action === undefined ? undefined : one.name}
              onPick={(event) => replace(index, ofEvent(one, event))}
              onPickAction={(action, name) => replace(index, { ...one, event: null, action, name })}
            />
            <span className="grow" />
            {steps && index > 0 && (
              <IconButton
                small
                label={`Move step ${index + 1} up`}
                icon="arrow"
                className="turn-up"
                onClick={() => set(swapped(series, index))}
              />
            )}
            {(series.length > 1 || steps) && (
              <IconButton
                small
                label={`Remove ${steps ? 'step' : 'series'} ${index + 1}`}
                icon="close"
                onClick={() => set(series.filter((_, i) => i !== index))}
              />
            )}
          </div>
          <div className={`series-more ${lettered ? '' : 'series-flush'}`}>
            {kind === 'trends' && <Maths series={one} onChange={(next) => replace(index, next)} />}
            <FilterList
              filters={one.filters ?? []}
              types={['event', 'person', 'session', 'group']}
              event={one.event}
              onChange={(filters) => replace(index, withFilters(one, filters))}
            />
          </div>
        </div>
      ))}
      {kind !== 'lifecycle' && (
        <div>
          <EventAdder steps={steps} onAdd={(added) => set([...series, added])} />
        </div>
      )}
    </section>
  )
}

function EventAdder({ steps, onAdd }: { steps: boolean; onAdd: (series: Series) => void }) {
  return (
    <EventPicker
      value={undefined}
      label={steps ? 'Events for a step' : 'Events to add'}
      onPick={(event) => onAdd({ event })}
      onPickAction={(action, name) => onAdd({ event: null, action, name })}
      trigger={(props) => (
        <Button small kind="quiet" icon="plus" {...props}>
          {steps ? 'Add a step' : 'Add a series'}
        </Button>
      )}
    />
  )
}

function Maths({ series, onChange }: { series: Series; onChange: (series: Series) => void }) {
  const { choices, loading } = usePropertyChoices(['event'], series.event)
  const maths = useMaths()
  const { property: _, groupIndex: __, ...without } = series
  const chosen = series.math === 'unique_group' ? `unique_group ${series.groupIndex ?? 0}` : (series.math ?? 'total')
  const change = (value: string) => {
    const group = /^unique_group (\d+)$/.exec(value)?.[1]
    if (group !== undefined) onChange({ ...without, math: 'unique_group', groupIndex: Number(group) })
    else if (needsProperty(value) && series.property) onChange({ ...without, math: value, property: series.property })
    else onChange({ ...without, math: value })
  }
  return (
    <>
      <Select
        label="What to count"
        className="small-select"
        value={chosen}
        options={maths}
        onChange={(event) => change(event.target.value)}
      />
      {needsProperty(series.math) && (
        <Picker
          label="Properties"
          choices={choices}
          loading={loading}
          free={freeProperty('event')}
          onPick={(value) => onChange({ ...series, property: readChoice(value).name })}
          trigger={(props) => (
            <Button small {...props}>
              {series.property ? propertyName(series.property) : 'Choose a property'}
            </Button>
          )}
        />
      )}
    </>
  )
}

/** Where there are groups, they can be counted too. */
function useMaths(): Option[] {
  const project = useProject()
  const { data = [] } = useQuery({ ...groupTypes(project.id), staleTime: 60_000 })
  const groups = data.map(({ group_type, name_singular, group_type_index }) => ({
    value: `unique_group ${group_type_index}`,
    label: `Unique: ${name_singular || group_type}`,
  }))
  return [...MATHS.slice(0, 2), ...groups, ...MATHS.slice(2)]
}

/** The name of an action goes with it; one that somebody gave stays. */
function ofEvent({ action, name, ...rest }: Series, event: string | null): Series {
  return { ...rest, event, ...(action === undefined && name ? { name } : {}) }
}

function swapped(series: readonly Series[], index: number): Series[] {
  const next = [...series]
  const [moved] = next.splice(index, 1)
  if (moved) next.splice(index - 1, 0, moved)
  return next
}

function withFilters({ filters: _, ...rest }: Series, filters: NonNullable<Series['filters']>): Series {
  return filters.length > 0 ? { ...rest, filters } : rest
}
