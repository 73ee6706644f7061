import type { TransactionSql } from '../../engines/postgres/index.ts'
import { stringifyJson } from '../../lib/json.ts'
import { storableText } from '../rules/storable.ts'
import { addProperty, MAX_SAMPLES, type PropertyTally, type Tally } from './tally.ts'

interface EventRow {
  project: number
  name: string
  count: number
}

interface PropertyRow extends PropertyTally {
  project: number
  type_of: 'event' | 'person' | 'group'
  index: number
  name: string
}

interface PairRow extends PropertyTally {
  project: number
  event: string
  name: string
}

/** The rows of a tally, in order. */
export interface DefinitionRows {
  readonly events: readonly EventRow[]
  readonly properties: readonly PropertyRow[]
  readonly pairs: readonly PairRow[]
}

/** Tolerance for a database on another machine, with another clock. */
const CLOCKS_APART_MS = 10_000

/** Each feature flag has a property of its own: they would crowd the list of an event's properties. */
const WITHOUT_PAIRS = /^\$feature(?:_enrollment)?\//

/**
 * One statement for events, one for properties, one for properties of events; rows in a fixed order. `since` is the
 * time of the oldest event: when a deletion has run in a project since, its samples are left out, because they may be
 * of the deleted person.
 */
export async function writeDefinitions(
  tx: TransactionSql,
  { events, properties, pairs }: DefinitionRows,
  now: Date,
  since: Date,
): Promise<void> {
  const samples = tx`
    CASE WHEN EXISTS (SELECT 1 FROM deletions WHERE project_id = new.project AND ran_at > ${new Date(since.getTime() - CLOCKS_APART_MS)})
    THEN '[]'::jsonb ELSE new.samples END`
  if (events.length > 0)
    await tx`
      INSERT INTO event_definitions AS old (project_id, name, count, created_at, last_seen_at)
      SELECT project, name, count, ${now}, ${now} FROM jsonb_to_recordset(${stringifyJson(events)}::text::jsonb) AS new (project int, name text, count bigint)
      WHERE project IN (SELECT id FROM projects)
      ON CONFLICT (project_id, name) DO UPDATE SET count = old.count + excluded.count,
        last_seen_at = greatest(old.last_seen_at, excluded.last_seen_at)`
  if (properties.length > 0)
    await tx`
      INSERT INTO property_definitions AS old (project_id, type, group_type_index, name, property_type, count, samples, last_seen_at)
      SELECT project, type_of, index, name, type, count, ${samples}, ${now}
      FROM jsonb_to_recordset(${stringifyJson(properties)}::text::jsonb)
           AS new (project int, type_of text, index int, name text, type text, count bigint, samples jsonb)
      WHERE project IN (SELECT id FROM projects)
      ON CONFLICT (project_id, type, group_type_index, name) DO UPDATE SET count = old.count + excluded.count,
        property_type = coalesce(old.property_type, excluded.property_type), samples = ${unitedSamples(tx)},
        last_seen_at = greatest(old.last_seen_at, excluded.last_seen_at)`
  if (pairs.length > 0)
    await tx`
      INSERT INTO event_properties AS old (project_id, event, property, count, samples, last_seen_at)
      SELECT project, event, name, count, ${samples}, ${now}
      FROM jsonb_to_recordset(${stringifyJson(pairs)}::text::jsonb) AS new (project int, event text, name text, count bigint, samples jsonb)
      WHERE project IN (SELECT id FROM projects)
      ON CONFLICT (project_id, event, property) DO UPDATE SET count = old.count + excluded.count, samples = ${unitedSamples(tx)},
        last_seen_at = greatest(old.last_seen_at, excluded.last_seen_at)`
}

const unitedSamples = (tx: TransactionSql) => tx`
  CASE WHEN jsonb_array_length(old.samples) >= ${MAX_SAMPLES} OR old.samples @> excluded.samples THEN old.samples
  ELSE (SELECT jsonb_agg(value) FROM (SELECT DISTINCT value FROM jsonb_array_elements(old.samples || excluded.samples) LIMIT ${MAX_SAMPLES}) s) END`

export function definitionRows(tally: Tally): DefinitionRows {
  const events = new Map<string, EventRow>()
  const properties = new Map<string, PropertyRow>()
  const pairs = new Map<string, PairRow>()
  const property = (
    project: number,
    type_of: PropertyRow['type_of'],
    index: number,
    raw: string,
    tally: PropertyTally,
  ) => {
    const name = storableText(raw)
    const key = `${project} ${type_of} ${index} ${name}`
    const row = properties.get(key) ?? { project, type_of, index, name, count: 0, type: null, samples: [] }
    properties.set(key, row)
    addProperty(row, tally)
  }
  for (const [project, seen] of tally) {
    for (const [rawEvent, { count, properties: own }] of seen.events) {
      const event = storableText(rawEvent)
      const row = events.get(`${project} ${event}`) ?? { project, name: event, count: 0 }
      row.count += count
      events.set(`${project} ${event}`, row)
      for (const [raw, tally] of own) {
        property(project, 'event', -1, raw, tally)
        if (WITHOUT_PAIRS.test(raw)) continue
        const name = storableText(raw)
        const pair = pairs.get(`${project} ${event}\0${name}`) ?? {
          project,
          event,
          name,
          count: 0,
          type: null,
          samples: [],
        }
        pairs.set(`${project} ${event}\0${name}`, pair)
        addProperty(pair, tally)
      }
    }
    for (const [name, tally] of seen.person) property(project, 'person', -1, name, tally)
    for (const [index, group] of seen.group)
      for (const [name, tally] of group) property(project, 'group', index, name, tally)
  }
  return { events: inOrder(events), properties: inOrder(properties), pairs: inOrder(pairs) }
}

const inOrder = <T>(rows: Map<string, T>): T[] =>
  [...rows].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, row]) => row)
