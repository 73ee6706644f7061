import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { click, meta, upload } from '../support/recordings.ts'
import { startTestService, type TestService } from '../support/service.ts'

const LIST = 'session_recording_playlists/'

describe('from a number to its recordings', () => {
  let service: TestService
  const t0 = Date.now() - 120_000
  const at = (seconds: number) => new Date(t0 + seconds * 1_000).toISOString()

  beforeAll(async () => {
    service = await startTestService()
    // Ada and Cem give up; Ben buys, helped. Cem's events name no session.
    const events = (id: string, names: string[], session?: string) =>
      names.map((event, i) => ({
        event,
        distinct_id: id,
        timestamp: at(i),
        properties: session ? { $session_id: session } : {},
      }))
    await service.capture([
      ...events('ada', ['signed up'], 'of-ada'),
      ...events('ben', ['signed up', 'helped', 'bought'], 'of-ben'),
      ...events('cem', ['signed up']),
    ])
    for (const [session, distinctId] of [
      ['of-ada', 'ada'],
      ['of-ben', 'ben'],
      ['of-cem', 'cem'],
      ['of-dan', 'dan'],
    ] as const)
      await upload(service.url, { session, distinctId, events: [meta(t0), click(t0 + 1)] })
    await service.stored()
  })
  afterAll(() => service?.stop())

  const funnel = {
    kind: 'FunnelsQuery',
    series: [
      { kind: 'EventsNode', event: 'signed up' },
      { kind: 'EventsNode', event: 'bought' },
    ],
    dateRange: { date_from: '-1d' },
  }

  /** One call makes the playlist; it shows its recordings at once. */
  async function recordingsOf(source: unknown): Promise<string[]> {
    const made = await service.api(LIST, { body: { name: 'why', filters: { kind: 'insight_actors', source } } })
    expect([made.status, made.text]).toEqual([201, expect.any(String)])
    const { body } = await service.api(`${LIST}${made.body.short_id}/recordings/`)
    return body.results.map(({ id }: { id: string }) => id).sort()
  }

  it('of those who dropped out of a funnel', async () => {
    expect(await recordingsOf({ kind: 'FunnelsActorsQuery', source: funnel, funnelStep: -2 })).toEqual([
      'of-ada',
      'of-cem',
    ])
  })

  it('of those who came through it', async () => {
    expect(await recordingsOf({ kind: 'FunnelsActorsQuery', source: funnel, funnelStep: 2 })).toEqual(['of-ben'])
  })

  it('of a row of its correlation', async () => {
    const source = {
      kind: 'FunnelCorrelationActorsQuery',
      source: {
        kind: 'FunnelCorrelationQuery',
        source: { kind: 'FunnelsActorsQuery', source: funnel, funnelStep: 1 },
        funnelCorrelationType: 'events',
      },
      funnelCorrelationPersonConverted: true,
      funnelCorrelationPersonEntity: { kind: 'EventsNode', event: 'helped' },
    }
    expect(await recordingsOf(source)).toEqual(['of-ben'])
  })

  it('of a point of a trend', async () => {
    const source = {
      kind: 'InsightActorsQuery',
      source: {
        kind: 'TrendsQuery',
        series: [{ kind: 'EventsNode', event: 'signed up' }],
        dateRange: funnel.dateRange,
      },
      series: 0,
    }
    expect(await recordingsOf({ kind: 'ActorsQuery', source })).toEqual(['of-ada', 'of-ben', 'of-cem'])
  })

  it('refuses what is no actors query at once', async () => {
    for (const source of [undefined, null, {}, { kind: 'TrendsQuery' }, funnel])
      expect(await service.api(LIST, { body: { filters: { kind: 'insight_actors', source } } })).toMatchObject({
        status: 400,
        body: { type: 'validation_error', attr: 'filters' },
      })
  })
})
