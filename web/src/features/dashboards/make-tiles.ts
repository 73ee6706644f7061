import type { Dashboard, Insight } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { LAST_30_DAYS } from '../../lib/usual-ranges.ts'
import { type Draft, savedQuery } from '../insights/index.ts'
import type { Template } from './templates.ts'

/** The query of a tile that lists recordings. */
export const RECORDINGS = { kind: 'RecordingsQuery', date_from: LAST_30_DAYS, order: 'start_time' } as const

const saveInsight = (project: number, dashboard: number, name: string, query: object) =>
  ask<Insight>(inProject(project, 'insights/'), { body: { name, query, saved: true, dashboards: [dashboard] } })

export const addInsight = (
  project: number,
  dashboard: number,
  { id, dashboards }: Pick<Insight, 'id' | 'dashboards'>,
) =>
  ask(inProject(project, `insights/${id}/`), {
    method: 'PATCH',
    body: { dashboards: [...new Set([...(dashboards ?? []), dashboard])] },
  })

export const addText = (project: number, dashboard: number, body: string) =>
  ask(inProject(project, `dashboards/${dashboard}/`), { method: 'PATCH', body: { tiles: [{ text: { body } }] } })

export const addRecordings = (project: number, dashboard: number, name: string) =>
  saveInsight(project, dashboard, name, RECORDINGS)

/** One after the other: that is the order they stand in. */
export async function fillFrom(template: Template, project: number, dashboard: number): Promise<void> {
  for (const { name, draft } of template.insights)
    await saveInsight(project, dashboard, name, savedQuery(draft as Draft))
  if (template.recordings) await addRecordings(project, dashboard, template.recordings)
}

/** A second dashboard with the same insights, in the same places; texts are copied. */
export async function duplicate(project: number, board: Dashboard): Promise<Dashboard> {
  const shown = board.tiles.filter(({ deleted }) => !deleted)
  const copy = await ask<Dashboard>(inProject(project, 'dashboards/'), {
    body: {
      name: `${board.name || 'Untitled'} (copy)`,
      description: board.description,
      tags: board.tags,
      tiles: shown.flatMap(({ text, layouts, color }) => (text ? [{ text, layouts, color }] : [])),
    },
  })
  for (const { insight } of shown) if (insight) await addInsight(project, copy.id, insight)
  const { tiles } = await ask<Dashboard>(inProject(project, `dashboards/${copy.id}/`))
  const layoutOf = new Map(shown.map(({ insight, layouts }) => [insight?.id, layouts]))
  return ask<Dashboard>(inProject(project, `dashboards/${copy.id}/`), {
    method: 'PATCH',
    body: {
      tiles: tiles.flatMap(({ id, insight }) => (insight ? [{ id, layouts: layoutOf.get(insight.id) ?? {} }] : [])),
    },
  })
}
