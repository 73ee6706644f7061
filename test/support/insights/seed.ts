/** Events, merges and groups straight into the tables, for tests of questions. */
import { type ClickHouse, propertyTexts } from '../../../src/engines/clickhouse/index.ts'
import {
  EVENT_COLUMNS,
  type EventRow,
  eventRowsAsBinary,
  SESSION_COLUMNS,
  sessionRowsAsBinary,
  sessionRowsOf,
} from '../../../src/events/index.ts'
import { type JsonObject, stringifyJson } from '../../../src/lib/json.ts'
import { parseTimestamp } from '../../../src/lib/timestamps.ts'
import { uuidV5, uuidV7 } from '../../../src/lib/uuid.ts'

export interface SeedEvent {
  readonly event: string
  /** Also the person, unless `person` says another. */
  readonly distinctId: string
  readonly person?: string
  /** ISO time, UTC. */
  readonly at: string
  readonly properties?: JsonObject
  readonly personProperties?: JsonObject
  readonly sessionId?: string
  readonly groups?: Readonly<Record<number, string>>
  readonly elementsChain?: string
}

const PERSONS = '0a0b0c0d-0000-4000-8000-000000000000'
export const personUuid = (name: string): string => uuidV5(PERSONS, name)

const lines = (rows: readonly unknown[]): string => rows.map((row) => stringifyJson(row)).join('\n')

export async function seedEvents(
  clickhouse: ClickHouse,
  projectId: number,
  events: readonly SeedEvent[],
): Promise<void> {
  const rows = events.map(
    (event): EventRow => ({
      projectId,
      uuid: uuidV7(),
      event: event.event,
      timestamp: parseTimestamp(event.at) ?? Number.NaN,
      receivedAt: Date.UTC(2020, 0, 1),
      distinctId: event.distinctId,
      personId: personUuid(event.person ?? event.distinctId),
      personMode: 'full',
      personCreatedAt: Date.UTC(2020, 0, 1),
      sessionId: event.sessionId ?? '',
      groups: [0, 1, 2, 3, 4].map((index) => event.groups?.[index] ?? ''),
      elementsChain: event.elementsChain ?? '',
      properties: event.properties ?? {},
      personProperties: event.personProperties ?? {},
    }),
  )
  if (rows.length === 0) return
  await clickhouse.insert('events', eventRowsAsBinary(rows, { inSessions: true }), { binaryColumns: EVENT_COLUMNS })
  await clickhouse.insert('sessions', sessionRowsAsBinary(sessionRowsOf(rows)), { binaryColumns: SESSION_COLUMNS })
}

/** Events of `old` count for `survivor` from now on. */
export async function seedMerges(
  clickhouse: ClickHouse,
  projectId: number,
  merges: readonly {
    readonly old: string
    readonly survivor: string
    readonly version?: number
    readonly deleted?: boolean
  }[],
): Promise<void> {
  const rows = merges.map(({ old, survivor, version, deleted }) => ({
    project_id: projectId,
    old_person_id: personUuid(old),
    person_id: personUuid(survivor),
    is_deleted: deleted ? 1 : 0,
    version: version ?? 1,
  }))
  await clickhouse.insert('person_overrides', lines(rows))
}

export async function seedGroups(
  clickhouse: ClickHouse,
  projectId: number,
  groups: readonly {
    readonly index: number
    readonly key: string
    readonly properties: JsonObject
    readonly version?: number
  }[],
): Promise<void> {
  const rows = groups.map(({ index, key, properties, version }) => ({
    project_id: projectId,
    group_type_index: index,
    group_key: key,
    created_at: '2020-01-01 00:00:00.000',
    properties: stringifyJson(properties),
    props: propertyTexts(properties),
    version: version ?? 1,
  }))
  await clickhouse.insert('groups', lines(rows))
}

/** Current persons, as ClickHouse knows them. */
export async function seedPersons(
  clickhouse: ClickHouse,
  projectId: number,
  persons: readonly {
    readonly name: string
    readonly properties?: JsonObject
    readonly createdAt?: string
    readonly version?: number
    readonly deleted?: boolean
  }[],
): Promise<void> {
  const rows = persons.map(({ name, properties, createdAt, version, deleted }) => ({
    project_id: projectId,
    id: personUuid(name),
    created_at: (createdAt ?? '2020-01-01T00:00:00Z').replace('T', ' ').replace('Z', ''),
    properties: stringifyJson(properties ?? {}),
    props: propertyTexts(properties ?? {}),
    is_identified: 1,
    is_deleted: deleted ? 1 : 0,
    version: version ?? 1,
  }))
  await clickhouse.insert('persons', lines(rows))
}
