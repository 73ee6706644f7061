import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { ask, inProject } from '../api/http.ts'
import { recordings } from '../api/queries.ts'
import type { Playlist } from '../api/types.ts'
import { useProject, useProjectParams } from '../frame/project.tsx'
import { DateRange } from '../insights/builder/date-range.tsx'
import type { Filter } from '../insights/draft.ts'
import { FilterList } from '../insights/filter-list.tsx'
import { isComplete } from '../insights/node.ts'
import { plural } from '../lib/format.ts'
import { RecordingList } from '../recordings/recording-list.tsx'
import { Button, Checkbox, Select } from '../ui/controls.tsx'
import { Page } from '../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../ui/states.tsx'
import { say, sayFailure } from '../ui/toast.tsx'

interface Search {
  from?: string
  to?: string
  filters?: Filter[]
  order?: string
  longer?: string
  unseen?: boolean
}

export function RecordingsPage() {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const search = useSearch({ strict: false }) as Search
  const [busy, setBusy] = useState(false)
  const { from = '-30d', to, filters = [], order = 'start_time', longer = '0', unseen = false } = search
  const change = (next: Partial<Search>) =>
    void navigate({ to: '.', search: ((was: object) => ({ ...was, ...next })) as never, replace: true })
  const properties = filters.filter(isComplete)
  const duration =
    Number(longer) > 0 ? [{ type: 'recording', key: 'duration', operator: 'gt', value: Number(longer) }] : []
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery(
    recordings(project.id, {
      date_from: from,
      date_to: to,
      order,
      limit: 100,
      ...(properties.length > 0 ? { properties: JSON.stringify(properties) } : {}),
      ...(duration.length > 0 ? { having_predicates: JSON.stringify(duration) } : {}),
      ...(unseen ? { hide_viewed_recordings: 'current-user' } : {}),
    }),
  )
  const save = async () => {
    setBusy(true)
    try {
      const group = { type: 'AND', values: [{ type: 'AND', values: properties }] }
      const playlist = await ask<Playlist>(inProject(project.id, 'session_recording_playlists/'), {
        body: {
          name: 'Recordings that match a filter',
          filters: {
            date_from: from,
            date_to: to ?? null,
            filter_test_accounts: false,
            duration,
            filter_group: group,
            order,
          },
        },
      })
      say('Saved as a playlist')
      await navigate({
        to: '/project/$projectId/playlists/$shortId',
        params: { ...params, shortId: playlist.short_id },
      })
    } catch (failure) {
      sayFailure(failure)
    }
    setBusy(false)
  }
  return (
    <Page
      title="Recordings"
      sub={data ? `${plural(data.results.length, 'recording')}${data.has_next ? ' and more' : ''}` : ' '}
      actions={
        <Button icon="playlists" onClick={save} busy={busy}>
          Save as playlist
        </Button>
      }
    >
      <div className="row-wrap">
        <DateRange
          from={from}
          to={to}
          zone={project.timezone}
          onChange={(begin, end) => change({ from: begin, ...(end ? { to: end } : {}) })}
        />
        <Select
          label="Length"
          value={longer}
          options={[
            { value: '0', label: 'Any length' },
            { value: '5', label: 'Longer than 5 s' },
            { value: '60', label: 'Longer than 1 min' },
            { value: '300', label: 'Longer than 5 min' },
          ]}
          onChange={(event) => change({ longer: event.target.value })}
        />
        <Select
          label="Order"
          value={order}
          options={[
            { value: 'start_time', label: 'Newest first' },
            { value: 'recording_duration', label: 'Longest first' },
            { value: 'click_count', label: 'Most clicks' },
            { value: 'console_error_count', label: 'Most errors' },
          ]}
          onChange={(event) => change({ order: event.target.value })}
        />
        <Checkbox checked={unseen} onChange={(event) => change({ unseen: event.target.checked })}>
          Not watched yet
        </Checkbox>
        <FilterList filters={filters} types={['event', 'person']} onChange={(next) => change({ filters: next })} />
      </div>
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : isPending ? (
        <SkeletonRows rows={8} height={36} />
      ) : (
        <div style={{ opacity: isPlaceholderData ? 0.6 : 1 }}>
          <RecordingList
            recordings={data.results}
            empty="Turn on session recording in the SDK (disable_session_recording: false), and visits of the next minutes appear here."
          />
        </div>
      )}
    </Page>
  )
}
