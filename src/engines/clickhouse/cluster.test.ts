import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OwnClickHouse, startOwnClickHouse } from '../../../test/support/clickhouse.ts'
import { migrationStatements } from '../../../test/support/migration-statements.ts'
import { onCluster } from './cluster.ts'
import { onEveryServer } from './spread-tables.ts'
import { Fragment } from './sql.ts'

const CLUSTER = { cluster: 'main', database: 'footfall' }

/** Every statement of the migrations, and those that jobs send later. */
async function statements(): Promise<string[]> {
  return [
    'CREATE DATABASE IF NOT EXISTS `footfall`',
    ...(await migrationStatements()),
    "ALTER TABLE events UPDATE person_id = toUUID('x') WHERE project_id = 1",
    'ALTER TABLE event_uuids DELETE WHERE uuid IN (SELECT reinterpretAsUInt128(uuid) FROM events WHERE project_id = 1)',
    'ALTER TABLE events ADD COLUMN IF NOT EXISTS colour String',
    'ALTER TABLE persons DELETE WHERE project_id = 1',
    "KILL QUERY WHERE query_id = 'x' ASYNC",
  ]
}

describe('statements on a cluster', () => {
  it('a sharded table is one on each shard and one before them', () => {
    expect(
      onCluster(
        'CREATE TABLE IF NOT EXISTS event_uuids (\n  uuid UInt128\n)\nENGINE = MergeTree\nORDER BY uuid\nSETTINGS non_replicated_deduplication_window = 10000',
        CLUSTER,
      ),
    ).toEqual([
      "CREATE TABLE IF NOT EXISTS event_uuids_local ON CLUSTER 'main' (\n  uuid UInt128\n)\nENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/footfall/event_uuids_local', '{replica}')\nORDER BY uuid\nSETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800",
      "CREATE TABLE IF NOT EXISTS event_uuids ON CLUSTER 'main' AS event_uuids_local ENGINE = Distributed('main', 'footfall', 'event_uuids_local', cityHash64(project_id, uuid))",
    ])
  })

  it('a table that questions join with is whole on every server, and keeps its arguments', () => {
    expect(
      onCluster(
        'CREATE TABLE IF NOT EXISTS persons (id UUID) ENGINE = ReplacingMergeTree(version) ORDER BY id',
        CLUSTER,
      ),
    ).toEqual([
      "CREATE TABLE IF NOT EXISTS persons ON CLUSTER 'main' (id UUID) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/everywhere/footfall/persons', '{shard}-{replica}', version) ORDER BY id",
    ])
  })

  it.each([
    ['ALTER TABLE events DELETE WHERE 1', ["ALTER TABLE events_local ON CLUSTER 'main' DELETE WHERE 1"]],
    [
      'ALTER TABLE `events` ADD COLUMN a String',
      [
        "ALTER TABLE events_local ON CLUSTER 'main' ADD COLUMN a String",
        "ALTER TABLE events ON CLUSTER 'main' ADD COLUMN a String",
      ],
    ],
    ['ALTER TABLE persons DELETE WHERE 1', ['ALTER TABLE persons DELETE WHERE 1']],
    ["KILL QUERY WHERE query_id = 'x'", ["KILL QUERY ON CLUSTER 'main' WHERE query_id = 'x'"]],
    ['CREATE DATABASE IF NOT EXISTS `a`', ["CREATE DATABASE IF NOT EXISTS `a` ON CLUSTER 'main'"]],
    ['INSERT INTO schema_migrations (number) SELECT 1', ['INSERT INTO schema_migrations (number) SELECT 1']],
  ])('%s', (statement, expected) => {
    expect(onCluster(statement, CLUSTER)).toEqual(expected)
  })

  it('a table is made on servers that were added as it is on this one', () => {
    const statement = 'CREATE TABLE footfall.events (`a` String) ENGINE = Distributed(main, footfall, events_local)'
    expect(onEveryServer(statement, 'events', 'main')).toBe(
      "CREATE TABLE IF NOT EXISTS footfall.events ON CLUSTER 'main' (`a` String) ENGINE = Distributed(main, footfall, events_local)",
    )
    expect(() => onEveryServer('CREATE VIEW a', 'a', 'main')).toThrow('cannot be read')
  })

  it('what nobody has thought about is refused, not done by halves', () => {
    expect(() => onCluster('CREATE TABLE colours (a String) ENGINE = MergeTree ORDER BY a', CLUSTER)).toThrow('colours')
    expect(() => onCluster('TRUNCATE TABLE events', CLUSTER)).toThrow('nobody has said')
  })

  describe('in the grammar of ClickHouse', () => {
    let engine: OwnClickHouse
    beforeAll(async () => {
      engine = await startOwnClickHouse()
    })
    afterAll(() => engine?.stop())

    it('every statement of the server can be read', async () => {
      for (const statement of (await statements()).flatMap((one) => onCluster(one, CLUSTER))) {
        const { rows } = await engine.clickhouse.query(new Fragment([`EXPLAIN AST ${statement}`], []))
        expect(rows.length, statement).toBeGreaterThan(0)
      }
    })
  })
})
