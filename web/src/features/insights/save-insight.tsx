import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { BasicDashboard, Insight } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { dashboards } from '../../api/queries.ts'
import { partsOf } from '../../lib/parts-of.ts'
import { Button, TextField } from '../../ui/controls.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu, MenuItem, MenuLink } from '../../ui/menu.tsx'
import { say, sayFailure } from '../../ui/toast.tsx'
import { derivedName } from './derived-name.ts'
import type { Draft } from './draft.ts'
import { isAskable } from './node.ts'
import { savedQuery } from './saved.ts'

const body = (draft: Draft) => ({ query: savedQuery(draft), derived_name: derivedName(draft), saved: true })

interface Named {
  name?: string
  description?: string
  tags?: string[]
}

function useSave(draft: Draft, insight: Insight | undefined, onSaved: () => void) {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (fields: Named) =>
      insight
        ? ask<Insight>(inProject(project.id, `insights/${insight.id}/`), {
            method: 'PATCH',
            body: { ...body(draft), ...fields },
          })
        : ask<Insight>(inProject(project.id, 'insights/'), { body: { ...body(draft), ...fields } }),
    onSuccess: async (saved) => {
      onSaved()
      say('Saved')
      client.setQueryData(['insight', String(project.id), saved.short_id], saved)
      void client.invalidateQueries({ queryKey: ['insights'] })
      void client.invalidateQueries({ queryKey: ['dashboard'] })
      await navigate({
        to: '/project/$projectId/insights/$shortId',
        params: { ...params, shortId: saved.short_id },
        replace: true,
      })
    },
    onError: sayFailure,
  })
}

export function SaveInsight({
  draft,
  insight,
  changed,
}: {
  draft: Draft
  insight: Insight | undefined
  changed: boolean
}) {
  const [naming, setNaming] = useState<'this' | 'new' | null>(null)
  const save = useSave(draft, insight, () => {})
  return (
    <>
      {insight && changed && (
        <Button onClick={() => setNaming('new')} disabled={!isAskable(draft)}>
          Save as new
        </Button>
      )}
      <Button
        kind="primary"
        busy={save.isPending}
        disabled={!isAskable(draft) || (insight !== undefined && !changed)}
        onClick={() => (insight ? save.mutate({}) : setNaming('this'))}
      >
        {insight ? (changed ? 'Save changes' : 'Saved') : 'Save'}
      </Button>
      {naming && (
        <NameInsight
          draft={draft}
          insight={naming === 'new' ? undefined : insight}
          {...(naming === 'new' ? { name: `${insight?.name || derivedName(draft)} (copy)` } : {})}
          onClose={() => setNaming(null)}
        />
      )}
    </>
  )
}

/** Name, description and tags, of a new insight or of one that is there. */
export function NameInsight({
  draft,
  insight,
  name,
  onClose,
}: {
  draft: Draft
  insight: Insight | undefined
  /** Proposed for a new one. */
  name?: string
  onClose: () => void
}) {
  const save = useSave(draft, insight, onClose)
  const submit = (form: FormData) =>
    save.mutate({
      name: String(form.get('name')),
      description: String(form.get('description')),
      tags: partsOf(String(form.get('tags')), ','),
    })
  return (
    <FormDialog
      title={insight ? 'Name, description and tags' : 'Save this insight'}
      busy={save.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Name"
        name="name"
        defaultValue={insight?.name ?? name ?? derivedName(draft)}
        maxLength={400}
        required
        autoFocus
      />
      <TextField label="Description" name="description" defaultValue={insight?.description ?? ''} />
      <TextField label="Tags" name="tags" defaultValue={insight?.tags.join(', ') ?? ''} hint="Separated by commas." />
    </FormDialog>
  )
}

/**
 * Saves it first when it is new: a dashboard holds saved insights. It is there from the start, so that nothing beside
 * it jumps.
 */
export function AddToDashboard({ draft, insight }: { draft: Draft; insight: Insight | undefined }) {
  const project = useProject()
  const params = useProjectParams()
  const client = useQueryClient()
  const { data } = useQuery({ ...dashboards(project.id, { limit: 100 }), retry: false })
  const add = useMutation({
    mutationFn: async (dashboard: BasicDashboard) => {
      const saved =
        insight ??
        (await ask<Insight>(inProject(project.id, 'insights/'), { body: { ...body(draft), name: derivedName(draft) } }))
      await ask(inProject(project.id, `insights/${saved.id}/`), {
        method: 'PATCH',
        body: { dashboards: [...new Set([...(saved.dashboards ?? []), dashboard.id])] },
      })
      return dashboard
    },
    onSuccess: (dashboard) => {
      say(`Added to ${dashboard.name}`)
      for (const key of ['dashboard', 'insight', 'insights']) void client.invalidateQueries({ queryKey: [key] })
    },
    onError: sayFailure,
  })
  return (
    <Menu
      label="Dashboards"
      align="right"
      trigger={(props) => (
        <Button icon="dashboards" busy={add.isPending} {...props}>
          Add to dashboard
        </Button>
      )}
    >
      {data?.results.length === 0 && (
        <MenuLink link={<Link to="/project/$projectId/dashboards" params={params} />}>
          <Icon name="plus" size={16} /> Create a dashboard first
        </MenuLink>
      )}
      {data?.results.map((dashboard) => (
        <MenuItem key={dashboard.id} onClick={() => add.mutate(dashboard)}>
          <span className="grow truncate">{dashboard.name || 'Untitled'}</span>
          {insight?.dashboards?.includes(dashboard.id) && <Icon name="check" size={15} />}
        </MenuItem>
      ))}
    </Menu>
  )
}
