import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useDebounced } from '../../lib/use-debounced.ts'
import { Checkbox } from '../../ui/controls.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { EventsTable } from './events-table.tsx'
import { PropertiesTable } from './properties-table.tsx'
import type { DefinitionsSearch } from './search.ts'
import './definitions-page.css'

/** Every event and property of the project, with descriptions and tags. */
export function DefinitionsPage() {
  const navigate = useNavigate({ from: '/project/$projectId/definitions' })
  const { view = 'events', open } = useSearch({ from: '/project/$projectId/definitions' })
  const [search, setSearch] = useState('')
  const [hiddenToo, setHiddenToo] = useState(false)
  const wanted = useDebounced(search.trim())
  const go = (next: DefinitionsSearch) => void navigate({ search: next, replace: true, resetScroll: false })
  const shared = { search: wanted, hiddenToo, open, onClose: () => go({ view }) }
  return (
    <Page title="Definitions" sub="Every event and property this project has seen. Open one to describe it." wide>
      <Tabs
        label="Definitions"
        value={view}
        onChange={(next) => go({ view: next })}
        tabs={[
          { value: 'events', label: 'Events' },
          { value: 'event', label: 'Event properties' },
          { value: 'person', label: 'Person properties' },
          { value: 'group', label: 'Group properties' },
        ]}
      />
      <div className="row-wrap" style={{ gap: 16 }}>
        <input
          className="input"
          style={{ maxWidth: 320 }}
          placeholder="Search names and descriptions"
          aria-label="Search definitions"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <Checkbox checked={hiddenToo} onChange={(event) => setHiddenToo(event.target.checked)}>
          Show hidden
        </Checkbox>
      </div>
      {view === 'events' ? <EventsTable {...shared} /> : <PropertiesTable {...shared} type={view} />}
    </Page>
  )
}
