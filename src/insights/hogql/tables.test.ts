/** Every table and field that documentation and the editor list can be asked, and tables know what belongs to them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine, type TestProject } from '../../../test/support/insights/test-engine.ts'
import { hogqlQuerySchema } from '../../contract/queries/index.ts'
import { runSql } from '../kinds/sql/run.ts'
import { SYSTEM_TABLES, savedTablesIn } from './system-tables.ts'
import { type FieldType, TABLE_FIELDS } from './table-fields.ts'
import { openView, TABLES } from './tables.ts'

const ENGINE_TYPES: Readonly<Record<FieldType, RegExp>> = {
  string: /^(Nullable\()?String/,
  integer: /^(Nullable\()?U?Int\d+/,
  float: /^(Nullable\()?Float/,
  boolean: /^(Nullable\()?(Bool|UInt8)/,
  datetime: /^(Nullable\()?DateTime/,
  array: /^Array/,
  json: /^(Nullable\()?String/,
  uuid: /^(Nullable\()?UUID/,
}

describe('tables of SQL', () => {
  let engine: TestEngine
  let mine: TestProject
  beforeAll(async () => {
    engine = await openTestEngine()
    mine = engine.project()
    await mine.seed([
      {
        event: 'click',
        distinctId: 'ada',
        at: '2024-05-09T10:00:00Z',
        sessionId: 's1',
        properties: { price: 3 },
        elementsChain: 'a.primary:attr_id="buy"href="/pay"nth-child="1"text="Buy";div:text="Box"',
      },
    ])
  })
  afterAll(() => engine?.stop())

  const rows = async (query: string) =>
    (
      await runSql(
        {
          ...mine.context('2024-05-10T12:00:00Z'),
          groupTypes: async () => new Map([['organization', 0]]),
          savedRows: async (tables) =>
            Object.fromEntries(
              tables.map((table) => [
                table,
                [{ id: 7, name: 'Mine', created_at: '2024-05-01T00:00:00Z', deleted: false }],
              ]),
            ),
        },
        hogqlQuerySchema.parse({ kind: 'HogQLQuery', query }),
      )
    ).results

  it.each(Object.entries(TABLE_FIELDS))('%s has the fields that are listed', async (table, { fields }) => {
    const asked = fields.map(([name]) => `toTypeName(any(${name}))`)
    const [types = []] = await rows(`select ${asked.join(', ')} from ${table}`)
    const odd = fields.filter(([, type], i) => !ENGINE_TYPES[type].test(String(types[i])))
    expect(odd.map(([name, type]) => [name, type, types[fields.findIndex(([each]) => each === name)]])).toEqual([])
    await expect(rows(`select * from ${table}`)).resolves.toBeDefined()
    await expect(rows(`select team_id from ${table}`)).resolves.toBeDefined()
  })

  it('list whatever "*" stands for', () => {
    const context = { projectId: 1, hasOverrides: false, timezone: 'UTC', propertyType: () => null }
    const unlisted = TABLES.flatMap((table) => {
      const listed = TABLE_FIELDS[table].fields.map(([name]) => name)
      return openView(table, context)?.columns.filter((column) => !listed.includes(column)) ?? [table]
    })
    expect(unlisted).toEqual([])
  })

  it.each(Object.entries(SYSTEM_TABLES))('%s has its columns', async (table, columns) => {
    await expect(rows(`select ${Object.keys(columns).join(', ')} from ${table}`)).resolves.toBeDefined()
  })

  it.each<[string, unknown[][]]>([
    ['select pdi.distinct_id, pdi.person_id = person_id, pdi.person.properties.email from events', [['ada', 1, null]]],
    [
      'select elements_chain_href, elements_chain_texts, elements_chain_ids, elements_chain_elements from events',
      [['/pay', ['Buy', 'Box'], ['buy'], ['a']]],
    ],
    ['select organization.properties.name, organization.key from events', [[null, '']]],
    ['select count() from raw_persons where is_deleted = 0 and version > 0', [[0]]],
    ['select argMinMerge(first_url) from raw_session_replay_events', [['']]],
    ['select d.distinct_id, d.person.properties.email from person_distinct_ids d', [['ada', null]]],
    ["select count() from persons where pdi.distinct_id = 'ada'", [[0]]],
    ['select count() from cohort_people where person.properties.email is null', [[0]]],
    ['select count() from session_replay_events where person.properties.email is null and click_count > 0', [[0]]],
    ['select id, name, deleted from system.cohorts', [[7, 'Mine', false]]],
    ['select c.name, d.name from system.insights c join system.dashboards as d on c.id = d.id', [['Mine', 'Mine']]],
    [
      "select data_type from system.information_schema.columns where table_name = 'events' and column_name = 'uuid'",
      [['uuid']],
    ],
    ["select count() > 5 from information_schema.tables where table_schema = 'posthog'", [[1]]],
  ])('answers %s', async (query, expected) => expect(await rows(query)).toEqual(expected))

  it.each([
    'system.tables',
    'system.one',
    'system.users',
    'footfall.events',
    'system.information_schema.views',
    'raw_x',
  ])('knows no table %s', async (table) => {
    await expect(rows(`select * from ${table}`)).rejects.toThrow(`Unknown table "${table}"`)
  })

  it('reads what the project has saved only for a query that asks about it', () => {
    expect(savedTablesIn('select * from system . `cohorts`')).toEqual(['system.cohorts'])
    expect(savedTablesIn('select cohorts from events')).toEqual([])
  })
})
