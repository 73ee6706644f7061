import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEYS, startTestService, type TestService, TOKENS } from '../support/service.ts'

describe('reading back', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
    await service.capture([
      ...Array.from({ length: 7 }, (_, i) => ({
        event: 'page',
        distinct_id: `visitor ${i % 2}`,
        timestamp: `2024-05-0${i + 1}T00:00:00Z`,
        properties: { number: i, $browser: i % 2 ? 'Safari' : 'Chrome', $set: { even: i % 2 === 0 } },
      })),
      {
        event: '$groupidentify',
        distinct_id: 'visitor 0',
        properties: { $group_type: 'company', $group_key: 'acme', $group_set: { name: 'Acme' } },
      },
      { event: 'in group', distinct_id: 'visitor 0', properties: { $groups: { company: 'acme' } } },
    ])
    await service.capture({ event: 'elsewhere', distinct_id: 'visitor 0' }, TOKENS.two)
    await service.stored()
  })
  afterAll(() => service?.stop())

  const numbers = async (query: Record<string, string>) => {
    const { status, body, text } = await service.api(`events/?${new URLSearchParams({ event: 'page', ...query })}`)
    expect(status, text).toBe(200)
    return body.results.map((event: { properties: { number: number } }) => event.properties.number)
  }

  describe('events', () => {
    it('are filtered by name, id, person, time and properties', async () => {
      expect(await numbers({})).toEqual([6, 5, 4, 3, 2, 1, 0])
      expect(await numbers({ distinct_id: 'visitor 1' })).toEqual([5, 3, 1])
      const { id, uuid } = (await service.api('persons/?distinct_id=visitor 1')).body.results[0]
      for (const person_id of [String(id), uuid]) expect(await numbers({ person_id })).toEqual([5, 3, 1])
      expect(await numbers({ after: '2024-05-03T00:00:00Z', before: '2024-05-06' })).toEqual([4, 3])
      const by = (...filters: object[]) => numbers({ properties: JSON.stringify(filters) })
      expect(await by({ key: '$browser', value: 'Safari' })).toEqual([5, 3, 1])
      expect(await by({ key: 'number', value: 4, operator: 'gt', type: 'event' })).toEqual([6, 5])
      expect(await by({ key: 'even', value: 'true', type: 'person' })).toEqual([6, 4, 2, 0])
      expect(await numbers({ properties: '[{"key":"number","value":[1,2]}]', after: '2024-05-02T12:00:00Z' })).toEqual([
        2,
      ])
      expect(await numbers({ person_id: '999999' })).toEqual([])
    })

    it('come in pages that visit each once', async () => {
      const seen: number[] = []
      let next: string | null = '/api/environments/1/events/?event=page&limit=2'
      for (let page = 0; next !== null && page < 10; page++) {
        const { body }: { body: { results: { properties: { number: number } }[]; next: string | null } } =
          await service.api(next)
        seen.push(...body.results.map(({ properties }) => properties.number))
        next = body.next === null ? null : body.next.slice(service.url.length)
      }
      expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0])
    })

    it.each([
      ['after=yesterdayish', 'after'],
      ['properties={', 'properties'],
      ['properties=[{"key":"a","operator":"resembles","value":1}]', 'properties__0__operator'],
      ['properties=[{}]', 'properties__0'],
      ['properties=[null]', 'properties__0'],
      ['properties=[{"key":"a","operator":"regex","value":"("}]', 'properties__0__value'],
      ['limit=many', 'limit'],
      ['limit=-1', 'limit'],
      ['offset=-1', 'offset'],
      ['cursor=bm9uc2Vuc2U', 'cursor'],
    ])('refuse %s', async (query, attr) =>
      expect(await service.api(`events/?${query}`)).toMatchObject({ status: 400, body: { attr } }),
    )

    it('carry the elements of a click, and whether their person is identified', async () => {
      await service.capture([
        {
          event: '$autocapture',
          distinct_id: 'clicker',
          properties: { $elements_chain: 'button.big:attr_id="buy"nth-child="1"nth-of-type="1"text="Buy";form:' },
        },
        { event: '$identify', distinct_id: 'known', properties: { $anon_distinct_id: 'clicker 2' } },
      ])
      const one = (id: string) =>
        service.waitFor(async () => (await service.api(`events/?distinct_id=${id}`)).body.results[0], 'the event')
      expect(await one('clicker')).toMatchObject({
        elements: [
          { tag_name: 'button', attr_class: ['big'], attr_id: 'buy', text: 'Buy', nth_child: 1, order: 0 },
          { tag_name: 'form', order: 1 },
        ],
        person: { is_identified: false, distinct_ids: ['clicker'] },
      })
      expect(await one('known')).toMatchObject({ elements: [], person: { is_identified: true } })
    })

    it('are bound to the microsecond, in every spelling of a time', async () => {
      const at = (fraction: string) => ({
        event: 'edge',
        distinct_id: 'edge',
        timestamp: `2024-03-0${fraction}Z`,
        properties: { at: fraction },
      })
      const times = ['1T23:59:59.999998', '1T23:59:59.999999', '2T00:00:00', '2T00:00:00.000001']
      await service.capture(times.map(at))
      const between = async (bounds: Record<string, string>) => {
        const { status, body, text } = await service.api(`events/?${new URLSearchParams({ event: 'edge', ...bounds })}`)
        expect(status, text).toBe(200)
        return body.results.map(({ properties }: { properties: { at: string } }) => properties.at).toReversed()
      }
      await service.stored()
      const [first, second, third, fourth] = times
      expect(await between({ after: '2024-03-01T23:59:59.999998Z' })).toEqual([second, third, fourth])
      expect(await between({ after: '2024-03-01T23:59:59.999999+0000' })).toEqual([third, fourth])
      expect(await between({ after: '2024-03-01T23:59:59.999999 0000' })).toEqual([third, fourth])
      expect(await between({ after: '2024-03-01T23:59:59.9999999Z' })).toEqual([third, fourth])
      expect(await between({ after: '2024-03-02T00:00:00.000000+0000' })).toEqual([fourth])
      expect(await between({ before: '2024-03-02T00:00:00Z' })).toEqual([first, second])
      expect(await between({ before: '2024-03-02T01:00:00.000001+0100' })).toEqual([first, second, third])
      // The last microsecond of a second means its end: what begins there in the next slice is not passed over.
      expect(await between({ before: '2024-03-01T23:59:59.999999+0000' })).toEqual([first, second])
    })

    it('are found by numbers that are too long for a double', async () => {
      const batch = '[{"event":"long","distinct_id":"long","properties":{"order":12345678901234567890}}]'
      const body = `{"api_key":"${TOKENS.one}","batch":${batch}}`
      expect((await fetch(`${service.url}/batch/`, { method: 'POST', body })).status).toBe(200)
      const found = async (order: string) => {
        const properties = `[{"key":"order","value":${order}}]`
        const { text } = await service.api(`events/?event=long&properties=${encodeURIComponent(properties)}`)
        const trend = `{"events":[{"id":"long"}],"properties":${properties},"date_from":"-1d"}`
        const { body: counted } = await service.api('insights/trend/', { method: 'POST', body: trend })
        return [text.includes('"order":12345678901234567890'), counted.result[0].count]
      }
      await service.stored()
      expect(await found('12345678901234567890')).toEqual([true, 1])
      expect(await found('"12345678901234567890"')).toEqual([true, 1])
      expect(await found('12345678901234567891')).toEqual([false, 0])
    })

    it('are found one by one, in their own project', async () => {
      const { id } = (await service.api('events/?event=page')).body.results[0]
      expect((await service.api(`events/${id}/`)).body).toMatchObject({
        id,
        event: 'page',
        person: { distinct_ids: ['visitor 0'] },
      })
      expect((await service.api(`/api/projects/2/events/${id}/`)).status).toBe(404)
      expect((await service.api('events/nonsense/')).status).toBe(404)
      expect((await service.api('events/', { key: KEYS.personsRead })).status).toBe(403)
    })
  })

  describe('read by a connector that counts offsets and takes a short page for the last', () => {
    interface Row {
      readonly id: number | string
    }
    /** Every page of a list, in the order of the offsets; `meanwhile` happens between any two of them. */
    const readAll = async (path: string, limit: number, meanwhile: (page: number, seen: readonly Row[]) => unknown) => {
      const seen: Row[] = []
      for (let page = 0; page < 50; page++) {
        const at = `${path}${path.includes('?') ? '&' : '?'}limit=${limit}&offset=${page * limit}`
        const { status, body, text } = await service.api<{ results: Row[] }>(at)
        expect(status, text).toBe(200)
        seen.push(...body.results)
        if (body.results.length < limit) return seen
        await meanwhile(page, body.results)
        // A page that is asked for again is the same page; the first one begins anew.
        if (page === 0 || path.includes('order=')) continue
        expect((await service.api<{ results: Row[] }>(at)).body.results.map(({ id }) => id)).toEqual(
          body.results.map(({ id }) => id),
        )
      }
      throw new Error('a list without an end')
    }
    const ids = (rows: readonly Row[]) => rows.map(({ id }) => id)
    const two = (path: string) => `/api/projects/2/${path}`

    // Numbers of rows that are multiples of the page: then the last page that holds anything is full.
    it('events, in slices, while others arrive', async () => {
      const day = (n: number) => `2024-07-${String(n).padStart(2, '0')}`
      const sent = Array.from({ length: 24 }, (_, i) => ({
        event: 'sliced',
        distinct_id: `slice ${i}`,
        // Several at the same moment, and some exactly where a slice begins and ends.
        timestamp: `${day(1 + Math.floor(i / 8))}T${['00:00:00', '12:00:00', '12:00:00', '23:59:59.999999'][i % 4]}Z`,
      }))
      await service.capture(sent, TOKENS.two)
      await service.stored()
      let late = 0
      const arrive = async () => {
        const timestamp = `${day(2)}T18:00:00Z`
        await service.capture({ event: 'sliced', distinct_id: 'late', timestamp }, TOKENS.two)
        late++
        await service.stored()
      }
      const seen: Row[] = []
      for (const [from, to] of [
        ['2024-06-30T23:59:59.999999+0000', `${day(1)}T23:59:59.999999+0000`],
        [`${day(1)}T23:59:59.999999+0000`, `${day(2)}T23:59:59.999999+0000`],
        [`${day(2)}T23:59:59.999999+0000`, `${day(4)}T00:00:00.000000+0000`],
      ] as const) {
        const bounds = new URLSearchParams({ event: 'sliced', after: from, before: to })
        seen.push(...(await readAll(two(`events/?${bounds}`), 3, arrive)))
      }
      const names = seen.map((row) => (row as Row & { distinct_id: string }).distinct_id)
      expect(names.filter((name) => name !== 'late').toSorted()).toEqual(
        sent.map((each) => each.distinct_id).toSorted(),
      )
      expect(new Set(ids(seen)).size).toBe(seen.length)
      expect(late).toBeGreaterThan(5)
    })

    it('events in pages of up to 10,000', async () => {
      const many = Array.from({ length: 1_201 }, (_, i) => ({ event: 'many', distinct_id: `many ${i % 7}` }))
      await service.capture(many, TOKENS.two)
      const page = async (query: string) => (await service.api(two(`events/?event=many&${query}`))).body
      await service.stored()
      expect(await page('limit=1201')).toMatchObject({ next: null })
      expect((await page('limit=99999')).results).toHaveLength(many.length)
      expect((await page('limit=1000&offset=1200')).results).toHaveLength(1)
      expect((await page('limit=1000&offset=5000')).results).toEqual([])
      const first = await page('limit=1200&offset=0')
      const { results } = (await service.api(first.next.slice(service.url.length))).body
      expect(ids([...first.results, ...results]).toSorted()).toEqual(
        ids((await page('limit=10000')).results).toSorted(),
      )
    })

    it('persons, while some arrive and others are deleted', async () => {
      const filter = `properties=${encodeURIComponent('[{"key":"walked","value":true,"type":"person"}]')}`
      const person = (distinct_id: string) => ({ event: 'x', distinct_id, properties: { $set: { walked: true } } })
      await service.capture(
        Array.from({ length: 12 }, (_, i) => person(`walked ${i}`)),
        TOKENS.two,
      )
      const everybody = async () => (await service.api(two(`persons/?${filter}&limit=1000`))).body
      await service.stored()
      const before = ids((await everybody()).results)
      const seen = await readAll(two(`persons/?${filter}`), 3, async (page, rows) => {
        await service.capture(person(`arrived ${page}`), TOKENS.two)
        await service.stored()
        // The page that was read stays the same when it is asked for again, so somebody of an earlier one is deleted.
        if (page > 0) await service.api(two(`persons/${before[page - 1]}/`), { method: 'DELETE' })
        expect(rows.length).toBe(3)
      })
      expect(ids(seen)).toEqual(before)
      // Whoever did not read the page before an offset gets what stands there now.
      const now = ids((await everybody()).results)
      expect(ids((await service.api(two(`persons/?${filter}&limit=4&offset=5`))).body.results)).toEqual(now.slice(5, 9))
    })

    it.each([
      ['cohorts/', (i: number) => ({ name: `cohort ${i}`, is_static: true })],
      ['insights/', (i: number) => ({ name: `insight ${i}`, filters: { events: [{ id: 'x' }] } })],
      ['insights/?order=name&basic=true', (i: number) => ({ name: i % 3 ? `insight ${i}` : null })],
      ['actions/', (i: number) => ({ name: `action ${i}`, steps: [{ event: 'x' }] })],
      ['session_recording_playlists/', (i: number) => ({ name: `playlist ${i}` })],
      ['session_recording_playlists/?order=-name', (i: number) => ({ name: i % 3 ? `playlist ${i}` : null })],
    ])('%s, while others are made', async (path, body) => {
      const at = two(path)
      const make = (i: number) => service.api(at.replace(/\?.*/, ''), { body: body(i) })
      for (let i = 0; i < 9; i++) expect((await make(i)).status).toBe(201)
      const before = ids((await service.api(at)).body.results)
      const seen = ids(await readAll(at, 3, (page) => make(1000 + page)))
      expect(seen.filter((id) => before.includes(id))).toEqual(before)
      expect(new Set(seen).size).toBe(seen.length)
    })
  })

  it('groups and their types', async () => {
    expect((await service.api('groups_types/')).body).toEqual([
      { group_type: 'company', group_type_index: 0, name_singular: null, name_plural: null },
    ])
    const groups = await service.api('groups/?group_type_index=0')
    expect(groups.body).toMatchObject({
      next: null,
      results: [{ group_type_index: 0, group_key: 'acme', group_properties: { name: 'Acme' } }],
    })
    expect((await service.api('groups/?group_type_index=0&search=ACM')).body.results).toHaveLength(1)
    expect((await service.api('groups/find/?group_type_index=0&group_key=acme')).body.group_key).toBe('acme')
    expect((await service.api('groups/find/?group_type_index=0&group_key=no')).status).toBe(404)
    expect((await service.api('groups/?group_type_index=9')).body.attr).toBe('group_type_index')
    expect((await service.api('groups/')).body).toMatchObject({ code: 'required', attr: 'group_type_index' })
    expect((await service.api('groups_types/', { key: KEYS.personsRead })).status).toBe(403)
  })

  it('definitions of events and properties', async () => {
    await service.stored()
    const events = await service.api('event_definitions/?search=pag')
    expect(events.body).toMatchObject({ count: 1, results: [{ name: 'page', count: 7 }] })
    const properties = await service.api('property_definitions/?event_names=["page"]&search=num')
    expect(properties.body.results).toMatchObject([
      { name: 'number', type: 'event', property_type: 'Numeric', is_numerical: true },
    ])
    expect(
      (await service.api('property_definitions/?type=person')).body.results.map(({ name }: { name: string }) => name),
    ).toContain('even')
    expect((await service.api('events/values/?key=$browser&value=saf')).body).toEqual([{ name: 'Safari' }])
    expect((await service.api('property_definitions/?type=nothing')).status).toBe(400)
  })
})
