import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { click, fullSnapshot, meta, mouseMove, mutation, pack, upload } from '../support/recordings.ts'
import { startTestService, type TestService, TOKENS } from '../support/service.ts'

describe('uploads of every size', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service?.stop())

  const post = async (body: Uint8Array | string, query = '') => {
    const sent = typeof body === 'string' ? body : new Uint8Array(body)
    const answer = await fetch(`${service.url}/s/${query}`, { method: 'POST', body: sent })
    return { status: answer.status, body: JSON.parse(await answer.text()) }
  }
  const snapshot = (properties: object) =>
    JSON.stringify([{ event: '$snapshot', properties: { distinct_id: 'ada', token: TOKENS.one, ...properties } }])

  it('a session of half an hour shows its first frame without all the rest', async () => {
    const minutes = 30
    const start = Date.now() - minutes * 60_000
    const events = Array.from({ length: minutes }, (_, minute) => {
      const at = start + minute * 60_000
      const first = minute === 0 ? [meta(at), pack(fullSnapshot(at + 1, 'first frame'))] : []
      const changes = Array.from({ length: 40 }, (_, i) => [
        pack(mutation(at + 1_000 + i * 1_000, `${minute}.${i} ${`${i * minute} `.repeat(300)}`)),
        mouseMove(at + 1_500 + i * 1_000),
      ])
      return [...first, ...changes.flat(), click(at + 59_000)]
    })
    for (const part of events)
      expect((await upload(service.url, { session: 'half-hour', events: part })).status).toBe(200)
    const lastEvent = start + (minutes - 1) * 60_000 + 59_000
    // The summary is stored before the events it counts: a recording is whole when its blocks are, too.
    const recording = await service.waitFor(async () => {
      const { body } = await service.api('session_recordings/half-hour/')
      return body.click_count === minutes && body.blocks.at(-1)?.end > lastEvent && body
    })
    expect(recording.recording_duration).toBe(29 * 60 + 59)
    expect(recording.active_seconds).toBeGreaterThan(29 * 40)
    const [first] = recording.blocks
    const read = async (query: string) => (await service.api(`session_recordings/half-hour/snapshots/${query}`)).text
    const frame = await read(`?start=${first.start}&end=${first.end}`)
    const all = await read('')
    expect(frame).toContain('first frame')
    expect(frame.length).toBeLessThan(all.length / 20)
    expect(all.startsWith(frame)).toBe(true)
    let whole = ''
    for (const { start: from, end } of recording.blocks) whole += await read(`?start=${from}&end=${end}`)
    expect(whole).toBe(all)
    expect(all.split('\n').filter(Boolean)).toHaveLength(events.flat().length)
  })

  it('are answered by the rules when they are hostile', async () => {
    expect(await post(Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]), '?compression=gzip-js')).toMatchObject({
      status: 400,
      body: { code: 'invalid_encoding' },
    })
    expect(await post('[{"event":"$snapshot"')).toMatchObject({ status: 400, body: { code: 'parse_error' } })
    expect(await post(Buffer.alloc(26 * 1024 * 1024, 'x'))).toMatchObject({
      status: 413,
      body: { code: 'body_too_large' },
    })
    expect(await post(gzipSync(Buffer.alloc(120 * 1024 * 1024)), '?compression=gzip-js')).toMatchObject({ status: 413 })
    expect(await post(snapshot({ $session_id: 's', $snapshot_data: [], token: 'phc_wrong' }))).toMatchObject({
      status: 401,
    })
    for (const properties of [
      { $snapshot_data: [click(1)] },
      { $session_id: '../etc', $snapshot_data: [click(1)] },
      { $session_id: 'x'.repeat(71), $snapshot_data: [click(1)] },
      { $session_id: 'fine' },
      { $session_id: 'fine', $snapshot_data: 'text' },
    ])
      expect(await post(snapshot(properties))).toEqual({ status: 200, body: { status: 'Ok' } })
    const counts = await service.waitFor(async () => {
      const { results } = (await service.api('ingestion_warnings/')).body
      const found = Object.fromEntries(results.map((row: { type: string; count: number }) => [row.type, row.count]))
      return found.recording_without_data === 2 && found.recording_without_session_id === 3 && found
    })
    expect(counts).toMatchObject({ recording_without_session_id: 3, recording_without_data: 2 })
    expect((await service.api('session_recordings/?session_ids=["fine"]')).body.results).toEqual([])
  })

  it('one event of many megabytes arrives whole', async () => {
    const start = Date.now() - 1_000
    const large = fullSnapshot(start, 'abc \u2028 "quoted" \\ '.repeat(700_000))
    expect(
      (await upload(service.url, { session: 'large', events: [meta(start), large, click(start + 1)] })).status,
    ).toBe(200)
    await service.stored()
    const { text } = await service.api('session_recordings/large/snapshots/')
    expect(
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    ).toEqual([meta(start), large, click(start + 1)])
  })
})
