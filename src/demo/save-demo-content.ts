import type { Sql, TransactionSql } from '../engines/postgres/index.ts'
import { createExperiment, createFlagIn, findFlag } from '../flags/index.ts'
import { listGroupTypes } from '../identity/index.ts'
import {
  changeTiles,
  createAnnotation,
  createDashboard,
  createInsight,
  noteViews,
  placeInsight,
  tilesOf,
} from '../insights/index.ts'
import { DAY } from '../lib/durations.ts'
import { addToPlaylist, createPlaylist } from '../recordings/index.ts'
import { ANNOTATION, DASHBOARD, type DemoInsight, DROP_OFFS, GOOD_VISITS, insights } from './demo-content.ts'
import { CHECKLIST, EXPERIMENT, FLAGS } from './flags.ts'

/** The number of recently viewed insights. */
const RECENTLY_VIEWED = 5

/**
 * Creates a dashboard, insights, playlists and flags for the demo data, once for a project and all together: the dashboard's
 * tag marks that it was done, also after the dashboard was deleted. Returns the dashboard, or null when there is no
 * user to own it or it was deleted.
 */
export async function saveDemoContent(
  sql: Sql,
  project: number,
  { owner, goodVisits }: { readonly owner: number | null; readonly goodVisits: readonly string[] },
): Promise<number | null> {
  const companies = (await listGroupTypes(sql, project)).find(({ groupType }) => groupType === 'company')
  return sql.begin(async (tx) => {
    // Of two loads at the same time, perhaps in two processes, the second finds what the first has created.
    const [place] = await tx<{ id: number; organization_id: string }[]>`
      SELECT id, organization_id FROM projects WHERE id = ${project} FOR UPDATE`
    const [known] = await tx<{ id: number; deleted: boolean }[]>`
      SELECT id, deleted FROM dashboards WHERE project_id = ${project} AND ${DASHBOARD.tags[0]} = ANY(tags) ORDER BY id LIMIT 1`
    if (known) return known.deleted ? null : known.id
    const by = owner ?? (await firstMember(tx, project))
    if (by === null) return null
    const { id } = await createDashboard(tx, project, by, DASHBOARD)
    const saved: number[] = []
    for (const insight of insights(companies?.groupTypeIndex ?? null))
      saved.push(await saveInsight(tx, project, by, insight, id))
    await noteViews(tx, project, by, saved.slice(0, RECENTLY_VIEWED))
    if (goodVisits.length > 0)
      await addToPlaylist(tx, await createPlaylist(tx, project, by, GOOD_VISITS), goodVisits, by)
    await createPlaylist(tx, project, by, DROP_OFFS)
    const { daysAgo, ...annotation } = ANNOTATION
    if (place)
      await createAnnotation(tx, place, by, { ...annotation, date_marker: new Date(Date.now() - daysAgo * DAY) })
    await saveFlags(tx, project, by)
    return id
  })
}

async function saveInsight(
  tx: TransactionSql,
  project: number,
  owner: number,
  { source, box, tags, ...about }: DemoInsight,
  dashboard: number,
): Promise<number> {
  const { id } = await createInsight(tx, project, owner, {
    ...about,
    tags,
    saved: true,
    query: { kind: 'InsightVizNode', source },
  })
  if (!box) return id
  await placeInsight(tx, project, id, [dashboard])
  const tile = (await tilesOf(tx, dashboard)).find(({ insight_id }) => insight_id === id)
  if (tile) await changeTiles(tx, dashboard, [{ id: tile.id, layouts: { sm: box } }])
  return id
}

/** A flag of that key that is there already is somebody's own. */
async function saveFlags(tx: TransactionSql, projectId: number, userId: number): Promise<void> {
  for (const flag of FLAGS)
    if (!(await findFlag(tx, projectId, flag.key))) {
      const { id: flagId } = await createFlagIn(tx, { projectId, userId }, flag, 'demo')
      if (flag.key !== CHECKLIST) continue
      const start_date = new Date(Date.now() - EXPERIMENT.days * DAY)
      await createExperiment(tx, { project: projectId, userId, flagId }, { ...EXPERIMENT.fields, start_date })
    }
}

/** The user who joined first. */
async function firstMember(tx: TransactionSql, project: number): Promise<number | null> {
  const [first] = await tx<{ user_id: number }[]>`
    SELECT m.user_id FROM organization_members m JOIN projects p ON p.organization_id = m.organization_id
    WHERE p.id = ${project} ORDER BY m.joined_at, m.user_id LIMIT 1`
  return first?.user_id ?? null
}
