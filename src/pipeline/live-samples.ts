import { type EventRow, type ProjectWarning, WARNINGS, type WarningType } from '../events/index.ts'
import { define, isObject, type JsonObject, stringifyJson } from '../lib/json.ts'

/**
 * The samples of a batch that the live view shows, for watched projects only. At most MOST_SAMPLES a project, however
 * large the batch: a person cannot read more, and making them costs the pipeline time.
 */
export interface LiveSample {
  readonly project: number
  /** Stored, or not stored for the reason in `warnings`. */
  readonly outcome: 'stored' | 'dropped'
  readonly uuid: string | null
  readonly event: string | null
  readonly distinctId: string | null
  readonly personId: string | null
  readonly timestamp: number
  readonly receivedAt: number
  readonly properties: JsonObject
  readonly warnings: readonly LiveWarning[]
}

interface LiveWarning {
  readonly type: string
  readonly title: string
  readonly happened: string
  readonly fix: string
}

export interface LiveBatch {
  readonly project: number
  /** Counts of the whole batch, not only of the samples. */
  readonly stored: number
  readonly warned: number
  readonly samples: readonly LiveSample[]
}

const MOST_SAMPLES = 50
const MOST_PROPERTY_TEXT = 4_000

export function liveBatches(
  rows: readonly EventRow[],
  warnings: readonly ProjectWarning[],
  watched: ReadonlySet<number>,
): LiveBatch[] {
  return [...watched].flatMap((project) => {
    const own = rows.filter((row) => row.projectId === project)
    const problems = warnings.filter((warning) => warning.project === project)
    if (own.length + problems.length === 0) return []
    const warned = problems.reduce((sum, { count = 1 }) => sum + count, 0)
    return [{ project, stored: own.length, warned, samples: samplesOf(own, problems) }]
  })
}

function samplesOf(rows: readonly EventRow[], problems: readonly ProjectWarning[]): LiveSample[] {
  const stored = new Set(rows.map(({ uuid }) => uuid))
  const byUuid = new Map<string, ProjectWarning[]>()
  const lost: ProjectWarning[] = []
  for (const problem of problems) {
    if (problem.uuid === null || !stored.has(problem.uuid)) lost.push(problem)
    else byUuid.set(problem.uuid, [...(byUuid.get(problem.uuid) ?? []), problem])
  }
  // Dropped events are rarer and matter more: up to half of the samples are kept for them.
  const dropped = lost.slice(0, MOST_SAMPLES / 2).map(droppedSample)
  const mended = rows.filter(({ uuid }) => byUuid.has(uuid))
  const fine = rows.filter(({ uuid }) => !byUuid.has(uuid))
  const kept = [...mended, ...fine].slice(0, MOST_SAMPLES - dropped.length)
  return [...dropped, ...kept.map((row) => storedSample(row, byUuid.get(row.uuid) ?? []))].sort(
    (a, b) => a.receivedAt - b.receivedAt,
  )
}

const storedSample = (row: EventRow, problems: readonly ProjectWarning[]): LiveSample => ({
  project: row.projectId,
  outcome: 'stored',
  uuid: row.uuid,
  event: row.event,
  distinctId: row.distinctId,
  personId: row.personMode === 'propertyless' ? null : row.personId,
  timestamp: row.timestamp,
  receivedAt: row.receivedAt,
  properties: bounded(row.properties),
  warnings: problems.map(inWords),
})

const droppedSample = (warning: ProjectWarning): LiveSample => ({
  project: warning.project,
  outcome: 'dropped',
  uuid: warning.uuid,
  event: warning.event,
  distinctId: warning.distinctId,
  personId: null,
  timestamp: warning.at,
  receivedAt: warning.at,
  properties: bounded(warning.details),
  warnings: [inWords(warning)],
})

function inWords({ type }: ProjectWarning): LiveWarning {
  const known = Object.hasOwn(WARNINGS, type) ? WARNINGS[type as WarningType] : undefined
  return { type, title: known?.title ?? type, happened: known?.happened ?? '', fix: known?.fix ?? '' }
}

function bounded(properties: JsonObject): JsonObject {
  if (!isObject(properties)) return {}
  const kept: JsonObject = {}
  let size = 0
  for (const [key, value] of Object.entries(properties)) {
    size += key.length + stringifyJson(value).length
    if (size > MOST_PROPERTY_TEXT) break
    define(kept, key, value)
  }
  return kept
}
