import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEYS, killCli, startTestService, type TestService, TOKENS } from '../support/service.ts'

/** Several starts of services and commands each: the machine may be busy. */

let work: string
let source: TestService
let target: TestService
beforeAll(async () => {
  work = await mkdtemp(path.join(os.tmpdir(), 'footfall-transfer-'))
  ;[source, target] = await Promise.all([startTestService(), startTestService()])
})
afterAll(async () => {
  await Promise.all([source?.stop(), target?.stop()])
  await rm(work, { recursive: true, force: true })
})

const at = (minute: number) => new Date(Date.UTC(2026, 0, 5, 12, minute)).toISOString()

describe('an export of one service, imported into another', () => {
  let file: string
  let exported: string[]
  let imported: { code: number; stdout: string; stderr: string }

  beforeAll(async () => {
    const company = { $groups: { company: 'acme' } }
    const group = { $group_type: 'company', $group_key: 'acme', $group_set: { seats: 5 } }
    await source.capture([
      {
        event: 'look',
        distinct_id: 'visitor-1',
        timestamp: at(0),
        properties: { $elements_chain: 'a:href="/"', $ip: null },
      },
      {
        event: '$identify',
        distinct_id: 'ada',
        timestamp: at(1),
        properties: { $anon_distinct_id: 'visitor-1', $set: { plan: 'free' } },
      },
      { event: '$groupidentify', distinct_id: 'ada', timestamp: at(2), properties: group },
      {
        event: 'buy',
        distinct_id: 'ada',
        timestamp: at(3),
        properties: { ...company, price: 12345678901234567890n.toString(), $set: { plan: 'pro' } },
      },
      { event: 'look', distinct_id: 'bob', timestamp: at(4), properties: { $set_once: { first: 'look' } } },
      { event: '$create_alias', distinct_id: 'bob', timestamp: at(5), properties: { alias: 'robert' } },
      { event: 'look', distinct_id: 'nobody', timestamp: at(6), properties: { $process_person_profile: false } },
    ])
    const properties = fc.sample(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), { numRuns: 60, seed: 7 })
    await source.capture(
      properties.map((values, i) => ({
        event: `random ${i % 7}`,
        distinct_id: `r${i % 9}`,
        timestamp: at(10 + i / 100),
        properties: values,
      })),
    )
    const all = 7 + properties.length
    await source.waitFor(async () => (await count(source, 1)) === all, 'the events')
    const [ada] = (await source.api('persons/?distinct_id=ada')).body.results
    await source.api(`persons/${ada.id}/`, { method: 'PATCH', body: { properties: { by_hand: true } } })
    file = path.join(work, 'whole.jsonl.gz')
    const made = await source.cli('export', '--out', file)
    expect(made, made.stderr).toMatchObject({ code: 0, stdout: '' })
    exported = gunzipSync(await readFile(file))
      .toString('utf8')
      .trim()
      .split('\n')
    imported = await target.cli('import', file)
  })

  it('is in it, oldest first, as capture takes it', () => {
    const events = exported.map((line) => JSON.parse(line)).filter(({ event }) => event !== undefined)
    expect(events.map(({ timestamp }) => timestamp)).toEqual(events.map(({ timestamp }) => timestamp).toSorted())
    expect(events[0]).toMatchObject({
      event: 'look',
      distinct_id: 'visitor-1',
      properties: { $elements_chain: 'a:href="/"' },
    })
    expect(JSON.parse(exported[0] as string)).toMatchObject({ footfall_export: { version: 1, project: 1 } })
  })

  it('comes in whole: exporting it again gives the same lines', async () => {
    expect(imported, imported.stderr).toMatchObject({ code: 0 })
    expect(imported.stdout).toMatch(/^67 events came into project 1 "One", with \d+ persons and 1 groups\.\n$/)
    expect(await linesOf(target, 1)).toEqual(content(exported))
  })

  it('gives the same persons and the same numbers', async () => {
    const trend = {
      events: [{ id: 'look', math: 'dau' }],
      date_from: '2026-01-01',
      date_to: '2026-01-31',
      breakdown: 'plan',
      breakdown_type: 'person',
    }
    const funnel = {
      insight: 'FUNNELS',
      events: [
        { id: 'look', order: 0 },
        { id: 'buy', order: 1 },
      ],
      date_from: '2026-01-01',
      date_to: '2026-01-31',
    }
    for (const [where, body] of [
      ['insights/trend/', trend],
      ['insights/funnel/', funnel],
    ] as const) {
      const [theirs, ours] = [await source.api(where, { body }), await target.api(where, { body })]
      expect(theirs.status).toBe(200)
      expect(figures(ours.body.result)).toEqual(figures(theirs.body.result))
    }
    const [theirs, ours] = [await personsOf(source), await personsOf(target)]
    expect(ours).toEqual(theirs)
    expect(theirs.find(({ distinct_ids }) => distinct_ids.includes('ada'))).toMatchObject({
      properties: { plan: 'pro', by_hand: true },
    })
    const groups = await target.api('groups/?group_type_index=0')
    expect(groups.body.results).toMatchObject([{ group_key: 'acme', group_properties: { seats: 5 } }])
  })

  it('adds nothing when it is imported again, and does not set back what came since', async () => {
    await target.capture(
      { event: 'later', distinct_id: 'ada', properties: { $set: { plan: 'enterprise' } } },
      TOKENS.one,
    )
    await target.waitFor(async () => (await planOf(target)) === 'enterprise', 'the new plan')
    const again = await target.cli('import', file)
    expect(again).toMatchObject({ code: 0 })
    expect(again.stdout).toContain('0 events came into project 1 "One", 67 were there already')
    expect(await planOf(target)).toBe('enterprise')
    await target.waitFor(async () => (await count(target, 1)) === 68, 'the later event')
    expect((await target.api('ingestion_warnings/')).body.results).toEqual([])
  })

  it('can be a part of it, on standard output', async () => {
    const part = await source.cli('export', '--event', 'look', '--from', at(1), '--to', '2026-01-05T12:06:00Z')
    const lines = part.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ event, distinct_id }) => [event, distinct_id])).toEqual([
      [undefined, undefined],
      ['look', 'bob'],
    ])
    expect(await source.cli('export', '--from', 'yesterday')).toMatchObject({ code: 2 })
  })
})

describe('an import of other people’s files', () => {
  it('takes what it understands, says which lines it does not, and says so with its status', async () => {
    const file = path.join(work, 'mixed.jsonl')
    await writeFile(
      file,
      [
        '{"event":"Sign up","properties":{"time":1735689600,"distinct_id":"mix","$insert_id":"a1","plan":"pro"}}',
        'nonsense',
        '{"event_type":"click","user_id":"amp","event_time":"2025-01-01 00:00:01.000000","$insert_id":"b1","user_properties":{"city":"Bonn"}}',
        '{"event":"no time","distinct_id":"x"}',
        '{"id":"018f1e55-0000-7000-8000-abcdef012345","event":"old","distinct_id":"hog","timestamp":"2025-01-01T00:00:02Z","properties":{"a":1}}',
      ].join('\n'),
    )
    for (const [events, there] of [
      [3, ''],
      [0, ', 3 were there already'],
    ] as const) {
      const answer = await target.cli('import', file, '--project', '2')
      expect(answer).toMatchObject({ code: 1 })
      expect(answer.stdout).toBe(`${events} events came into project 2 "Two"${there}; 2 lines were not understood.\n`)
      expect(answer.stderr).toMatch(/^line 2 is not JSON/m)
      expect(answer.stderr).toMatch(/^line 4 has no timestamp/m)
    }
    const { body } = await target.api('/api/projects/2/events/')
    const found = body.results.map(({ event, distinct_id, timestamp, properties }: never) => ({
      event,
      distinct_id,
      timestamp,
      properties,
    }))
    expect(found).toMatchObject([
      { event: 'old', distinct_id: 'hog', timestamp: '2025-01-01T00:00:02.000Z', properties: { a: 1 } },
      { event: 'click', distinct_id: 'amp', properties: { $set: { city: 'Bonn' } } },
      { event: 'Sign up', distinct_id: 'mix', timestamp: '2025-01-01T00:00:00.000Z', properties: { plan: 'pro' } },
    ])
    expect(Object.keys(found[0].properties)).toEqual(['a'])
  })

  it('that was killed is started again, and neither loses nor doubles an event', async () => {
    const file = path.join(work, 'many.json.gz')
    const many = Array.from({ length: 6_000 }, (_, n) => ({
      event: 'many',
      timestamp: at(n / 300),
      properties: { distinct_id: `m${n % 50}`, n },
    }))
    await writeFile(file, gzipSync(JSON.stringify({ batch: many })))
    const before = await count(target, 2)
    await killCli(['import', file, '--project', '2', '--data', target.data], () =>
      target.waitFor(async () => (await count(target, 2)) > before, 'the first events'),
    )
    expect(await target.cli('import', file, '--project', '2')).toMatchObject({ code: 0 })
    const query = "select count(), count(distinct properties.n) from events where event = 'many'"
    const { body } = await target.api('/api/projects/2/query/', { body: { query: { kind: 'HogQLQuery', query } } })
    expect(body.results).toEqual([[6_000, 6_000]])
  })
})

async function count(service: TestService, project: number): Promise<number> {
  const query = 'select count() from events'
  const { body } = await service.api(`/api/projects/${project}/query/`, {
    body: { query: { kind: 'HogQLQuery', query }, refresh: 'force_blocking' },
  })
  return body.results[0][0]
}

async function linesOf(service: TestService, project: number) {
  const made = await service.cli('export', '--project', String(project))
  expect(made.code, made.stderr).toBe(0)
  return content(made.stdout.trim().split('\n'))
}

/** Events in their order; persons and groups have none that matters. The head says when it was made. */
const content = ([, ...lines]: string[]) => ({
  events: lines.filter((line) => line.startsWith('{"event"')),
  others: lines.filter((line) => !line.startsWith('{"event"')).toSorted(),
})

async function personsOf(service: TestService) {
  const { body } = await service.api('persons/?limit=100', { key: KEYS.all })
  type Person = { uuid: string; distinct_ids: string[]; properties: object; created_at: string; name: string }
  return (body.results as Person[])
    .map(({ uuid, distinct_ids, properties, created_at, name }) => ({
      uuid,
      distinct_ids,
      properties,
      created_at,
      name,
    }))
    .toSorted((a, b) => (a.uuid < b.uuid ? -1 : 1))
}

const planOf = async (service: TestService) =>
  (await service.api('persons/?distinct_id=ada')).body.results[0].properties.plan

const figures = (result: { count: number; data?: number[]; label?: string; name?: string }[]) =>
  result.map(({ count, data, label, name }) => ({ count, data, label, name }))
