import type { TransactionSql } from '../../engines/postgres/index.ts'
import { type SavedInsight, tilesOfInsights } from '../../insights/index.ts'
import type { Json } from '../../lib/json.ts'
import { type Change, noteActivities } from '../frame/activity.ts'
import type { ProjectCall } from '../frame/context.ts'

const FIELDS = [
  'name',
  'derived_name',
  'description',
  'filters',
  'query',
  'order',
  'favorited',
  'saved',
  'tags',
  'deleted',
] as const

/** An insight as its history knows it. */
interface InsightState {
  readonly insight: SavedInsight
  readonly dashboards: readonly number[]
}

export async function insightState(tx: TransactionSql, insight: SavedInsight): Promise<InsightState> {
  const tiles = (await tilesOfInsights(tx, [insight.id])).get(insight.id) ?? []
  return { insight, dashboards: tiles.map(({ dashboard_id }) => dashboard_id) }
}

/** Writes down what was done to an insight. A change that changed nothing is none. */
export async function noteInsight(
  tx: TransactionSql,
  { project, caller }: Pick<ProjectCall, 'project' | 'caller'>,
  before: InsightState | null,
  { insight, dashboards }: InsightState,
): Promise<void> {
  const changes = before === null ? [] : differences(before, { insight, dashboards })
  if (before !== null && changes.length === 0) return
  await noteActivities(tx, [
    {
      project: project.id,
      caller,
      scope: 'Insight',
      itemId: insight.id,
      activity: activityOf(before?.insight, insight),
      name: insight.name || insight.derived_name || '',
      shortId: insight.short_id,
      changes,
    },
  ])
}

function activityOf(before: SavedInsight | undefined, after: SavedInsight): string {
  if (before === undefined) return 'created'
  if (before.deleted === after.deleted) return 'updated'
  return after.deleted ? 'deleted' : 'restored'
}

function differences(before: InsightState, after: InsightState): Change[] {
  const values = ({ insight, dashboards }: InsightState): [string, Json][] => [
    ...FIELDS.map((field): [string, Json] => [field, insight[field] as Json]),
    ['dashboards', [...dashboards]],
  ]
  const old = new Map(values(before))
  return values(after)
    .filter(([field, value]) => JSON.stringify(old.get(field)) !== JSON.stringify(value))
    .map(([field, value]) => ({
      type: 'Insight',
      action: 'changed',
      field,
      before: old.get(field) ?? null,
      after: value,
    }))
}
