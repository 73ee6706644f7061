import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ask, inProject } from '../api/http.ts'
import type { Insight } from '../api/types.ts'
import { useProject, useProjectParams } from '../frame/project.tsx'
import { Button, IconButton } from '../ui/controls.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { MenuItem, Popover } from '../ui/popover.tsx'
import { say, sayFailure } from '../ui/toast.tsx'
import type { Draft } from './draft.ts'
import { AddToDashboard, NameInsight, SaveInsight } from './save-insight.tsx'

/** What can be done with an insight as a whole. */
export function InsightActions({
  draft,
  insight,
  changed,
}: {
  draft: Draft
  insight: Insight | undefined
  changed: boolean
}) {
  const params = useProjectParams()
  const share = async () => {
    await navigator.clipboard.writeText(window.location.href)
    say('Link copied')
  }
  return (
    <>
      <Link to="/project/$projectId/insights" params={params} className="button button-quiet narrow-hidden">
        <Icon name="left" size={16} /> Insights
      </Link>
      <IconButton label="Copy a link to this" icon="link" onClick={share} />
      {insight && <Favourite insight={insight} />}
      {insight && <More draft={draft} insight={insight} />}
      <AddToDashboard draft={draft} insight={insight} />
      <SaveInsight draft={draft} insight={insight} changed={changed} />
    </>
  )
}

function Favourite({ insight }: { insight: Insight }) {
  const project = useProject()
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: (favorited: boolean) =>
      ask<Insight>(inProject(project.id, `insights/${insight.id}/`), { method: 'PATCH', body: { favorited } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['insight'] })
      void client.invalidateQueries({ queryKey: ['insights'] })
    },
    onError: sayFailure,
  })
  const shown = change.isPending ? change.variables : insight.favorited
  return (
    <IconButton
      label={shown ? 'No longer a favourite' : 'Make it a favourite'}
      icon="star"
      className={shown ? 'favourite' : ''}
      aria-pressed={shown}
      onClick={() => change.mutate(!insight.favorited)}
    />
  )
}

function More({ draft, insight }: { draft: Draft; insight: Insight }) {
  const params = useProjectParams()
  const navigate = useNavigate()
  const [asking, setAsking] = useState<'name' | 'delete' | null>(null)
  return (
    <>
      <Popover
        label="More"
        align="right"
        width={220}
        trigger={(props) => <IconButton label="More" icon="more" {...props} />}
      >
        {(close) => (
          <div className="menu">
            <MenuItem
              onClick={() => {
                close()
                setAsking('name')
              }}
            >
              <Icon name="edit" size={16} /> Rename, describe, tag
            </MenuItem>
            <MenuItem
              onClick={() => {
                close()
                void navigate({
                  to: '/project/$projectId/insights/new',
                  params,
                  search: { q: draft } as never,
                })
              }}
            >
              <Icon name="copy" size={16} /> Start another from it
            </MenuItem>
            <div className="menu-line" />
            <MenuItem
              danger
              onClick={() => {
                close()
                setAsking('delete')
              }}
            >
              <Icon name="trash" size={16} /> Delete
            </MenuItem>
          </div>
        )}
      </Popover>
      {asking === 'name' && <NameInsight draft={draft} insight={insight} onClose={() => setAsking(null)} />}
      {asking === 'delete' && <DeleteInsight insight={insight} onClose={() => setAsking(null)} />}
    </>
  )
}

function DeleteInsight({ insight, onClose }: { insight: Insight; onClose: () => void }) {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () =>
      ask(inProject(project.id, `insights/${insight.id}/`), { method: 'PATCH', body: { deleted: true } }),
    onSuccess: async () => {
      say('Deleted')
      await navigate({ to: '/project/$projectId/insights', params })
      for (const key of ['insights', 'dashboard', 'last-viewed']) void client.invalidateQueries({ queryKey: [key] })
    },
    onError: sayFailure,
  })
  const where = insight.dashboards?.length ?? 0
  return (
    <Dialog title={`Delete ${insight.name || insight.derived_name || 'this insight'}?`} onClose={onClose}>
      <p className="small">
        The question goes, the events stay.
        {where > 0 && ` It also leaves ${where === 1 ? 'its dashboard' : `${where} dashboards`}.`}
      </p>
      <DialogActions>
        <Button onClick={onClose}>Keep it</Button>
        <Button kind="danger" icon="trash" busy={remove.isPending} onClick={() => remove.mutate()}>
          Delete
        </Button>
      </DialogActions>
    </Dialog>
  )
}
