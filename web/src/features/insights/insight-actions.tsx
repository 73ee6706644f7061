import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Insight } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { IconButton } from '../../ui/controls.tsx'
import { Icon } from '../../ui/icon.tsx'
import { MoreMenu } from '../../ui/more-menu.tsx'
import { say } from '../../ui/toast.tsx'
import { ToggleButton } from '../../ui/toggle-button.tsx'
import { useRemoval } from '../lists/index.ts'
import { derivedName } from './derived-name.ts'
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
      <IconButton label="Copy link" icon="link" onClick={share} />
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
  const keep = async (favorited: boolean) => {
    await ask<Insight>(inProject(project.id, `insights/${insight.id}/`), { method: 'PATCH', body: { favorited } })
    await Promise.all(['insight', 'insights'].map((key) => client.invalidateQueries({ queryKey: [key] })))
  }
  return (
    <ToggleButton
      on={insight.favorited}
      labels={{ on: 'Remove from favourites', off: 'Add to favourites' }}
      icon="star"
      change={keep}
    />
  )
}

function More({ draft, insight }: { draft: Draft; insight: Insight }) {
  const params = useProjectParams()
  const navigate = useNavigate()
  const project = useProject()
  const removal = useRemoval()
  const where = insight.dashboards?.length ?? 0
  const remove = () =>
    removal.mutate({
      path: inProject(project.id, `insights/${insight.id}/`),
      name: insight.name || insight.derived_name || 'the insight',
      ...(where > 0 && { note: `It is gone from ${where === 1 ? 'its dashboard' : `${where} dashboards`} too.` }),
      keys: ['insight', 'insights', 'dashboard', 'last-viewed'],
      leave: () => navigate({ to: '/project/$projectId/insights', params, replace: true }),
    })
  const [asking, setAsking] = useState<'name' | 'new' | null>(null)
  return (
    <>
      <MoreMenu
        items={[
          { icon: 'edit', label: 'Edit name, description and tags', does: () => setAsking('name') },
          { icon: 'plus', label: 'Save as new', does: () => setAsking('new') },
          {
            icon: 'copy',
            label: 'Open as new insight',
            does: () => void navigate({ to: '/project/$projectId/insights/new', params, search: { q: draft } }),
          },
          { icon: 'trash', label: 'Delete', does: remove, danger: true },
        ]}
      />
      {asking === 'name' && <NameInsight draft={draft} insight={insight} onClose={() => setAsking(null)} />}
      {asking === 'new' && (
        <NameInsight
          draft={draft}
          insight={undefined}
          name={`${insight.name || derivedName(draft)} (copy)`}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  )
}
