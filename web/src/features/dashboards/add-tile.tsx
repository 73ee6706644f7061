import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Dashboard, Insight } from '../../api/contract.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { insights } from '../../api/queries.ts'
import { useDebounced } from '../../lib/use-debounced.ts'
import { ChoiceList } from '../../ui/choice-list.tsx'
import { Button } from '../../ui/controls.tsx'
import { Dialog, FormDialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import { say, sayFailure } from '../../ui/toast.tsx'
import { addInsight, addRecordings, addText } from './make-tiles.ts'

/** Puts something on the dashboard, from the dashboard itself. */
export function AddTile({ dashboard }: { dashboard: Dashboard }) {
  const project = useProject()
  const client = useQueryClient()
  const [adding, setAdding] = useState<'insight' | 'text' | null>(null)
  const close = () => setAdding(null)
  const add = useMutation({
    mutationFn: (work: () => Promise<unknown>) => work(),
    onSuccess: async () => {
      close()
      await Promise.all(['dashboard', 'insights'].map((key) => client.invalidateQueries({ queryKey: [key] })))
      say('Added')
    },
    onError: sayFailure,
  })
  return (
    <>
      <Menu
        label="Add a tile"
        align="right"
        width={220}
        trigger={(props) => (
          <Button icon="plus" busy={add.isPending} {...props}>
            Add
          </Button>
        )}
      >
        <MenuItem onClick={() => setAdding('insight')}>
          <Icon name="insights" size={16} /> Insight
        </MenuItem>
        <MenuItem onClick={() => setAdding('text')}>
          <Icon name="definitions" size={16} /> Text
        </MenuItem>
        <MenuItem onClick={() => add.mutate(() => addRecordings(project.id, dashboard.id, 'Latest recordings'))}>
          <Icon name="recordings" size={16} /> Recordings
        </MenuItem>
      </Menu>
      {adding === 'insight' && (
        <ChooseInsight
          onClose={close}
          onPick={(insight) => add.mutate(() => addInsight(project.id, dashboard.id, insight))}
        />
      )}
      {adding === 'text' && (
        <TextForm
          busy={add.isPending}
          onClose={close}
          onSave={(body) => add.mutate(() => addText(project.id, dashboard.id, body))}
        />
      )}
    </>
  )
}

function ChooseInsight({ onPick, onClose }: { onPick: (insight: Insight) => void; onClose: () => void }) {
  const project = useProject()
  const params = useProjectParams()
  const [search, setSearch] = useState('')
  const asked = useDebounced(search.trim(), 150)
  const { data, isPending } = useQuery(insights(project.id, { saved: true, search: asked, limit: 50 }))
  const choices = (data?.results ?? []).map((insight) => ({
    value: insight.short_id,
    label: insight.name || insight.derived_name || 'Untitled',
    hint: insight.description || undefined,
    insight,
  }))
  return (
    <Dialog title="Add an insight" onClose={onClose}>
      <ChoiceList
        label="Saved insights"
        placeholder="Search saved insights"
        search={search}
        onSearch={setSearch}
        choices={choices}
        loading={isPending}
        onPick={({ insight }) => onPick(insight)}
      />
      <p className="small soft">
        Not there yet?{' '}
        <Link to="/project/$projectId/insights/new" params={params}>
          Build a new one
        </Link>{' '}
        and choose "Add to dashboard".
      </p>
    </Dialog>
  )
}

/** A text tile: new, or changed. */
export function TextForm({
  body = '',
  busy,
  onSave,
  onClose,
}: {
  body?: string
  busy: boolean
  onSave: (body: string) => void
  onClose: () => void
}) {
  const [text, setText] = useState(body)
  return (
    <FormDialog
      title={body === '' ? 'Add a text' : 'Edit the text'}
      busy={busy}
      problem={text.trim() === '' ? 'Write something first.' : null}
      onSubmit={() => onSave(text.trim())}
      onClose={onClose}
    >
      <TextArea
        label="Text"
        rows={6}
        maxLength={4000}
        value={text}
        hint="A line that begins with # is a heading, with - an item of a list."
        onChange={(event) => setText(event.target.value)}
      />
    </FormDialog>
  )
}
