import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { story } from '../../src/demo/index.ts'
import { DAY } from '../../src/lib/durations.ts'
import { KEYS, startTestService, type TestService, TOKENS } from '../support/service.ts'

/** A small story: the same rules, in less time. */
const VISITORS = '250'

describe('the demo', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service?.stop())

  const count = async (project: number) => {
    const query = { kind: 'HogQLQuery', query: 'select count(), count(distinct uuid), min(timestamp) from events' }
    const { body } = await service.api(`/api/environments/${project}/query/`, { body: { query, refresh: true } })
    return body.results[0] as [number, number, string]
  }
  const recordings = async () => {
    const { results } = (await service.api('session_recordings/?date_from=-30d&limit=100')).body
    const lines = await Promise.all(
      results.map(async ({ id }: { id: string }) => (await service.api(`session_recordings/${id}/snapshots/`)).text),
    )
    return lines.toSorted()
  }

  it('is all there when the command ends, and a second time adds nothing', async () => {
    const first = await service.cli('demo', '--visitors', VISITORS)
    expect(first.code, first.stderr).toBe(0)
    expect(first.stdout).toMatch(/^[\d,]+ events of two months and [1-9]\d* recordings are in project 1 "One"/)
    const events = await count(1)
    expect(events[0]).toBeGreaterThan(1_000)
    expect(events[1]).toBe(events[0])
    const watched = await recordings()
    expect(watched).toHaveLength(Number(/and (\d+) recordings/.exec(first.stdout)?.[1]))
    const problems = (await service.api('ingestion_warnings/')).body

    const second = await service.cli('demo', '--project', '1', '--visitors', VISITORS)
    expect(second.code, second.stderr).toBe(0)
    const added = Number(/^([\d,]+) new events/.exec(second.stdout)?.[1]?.replaceAll(',', '') ?? 0)
    expect(await count(1)).toMatchObject([events[0] + added, events[0] + added, events[2]])
    expect(await recordings()).toEqual(expect.arrayContaining(watched))
    expect((await service.api('ingestion_warnings/')).body).toEqual(problems)
  })

  it('leaves a dashboard, insights and playlists about it, once', async () => {
    const saved = async () => ({
      dashboards: (await service.api('dashboards/')).body.results,
      insights: (await service.api('insights/?saved=true')).body.results,
      playlists: (await service.api('session_recording_playlists/')).body.results,
    })
    const { dashboards, insights, playlists } = await saved()
    expect(dashboards).toMatchObject([{ name: 'Product overview', pinned: true, created_by: { first_name: 'Ada' } }])
    const { tiles } = (await service.api(`dashboards/${dashboards[0].id}/`)).body
    expect(tiles).toHaveLength(8)
    expect(insights.length).toBeGreaterThan(tiles.length)
    for (const { name, description, tags, query } of insights) {
      expect([name, description, tags.length > 0].every(Boolean), name).toBe(true)
      const { status, body, text } = await service.api('query/', { body: { query: query.source } })
      expect(status, text).toBe(200)
      expect(body.results.length, name).toBeGreaterThan(0)
    }
    expect(insights.filter(({ favorited }: { favorited: boolean }) => favorited)).toHaveLength(3)
    expect((await service.api('insights/my_last_viewed/')).body.length).toBeGreaterThan(3)
    const [dropOffs] = playlists.filter(({ name }: { name: string }) => name === 'Import drop-offs')
    expect(dropOffs).toMatchObject({ pinned: true, description: expect.stringContaining('the import failed') })
    const listed = await service.api(`session_recording_playlists/${dropOffs.short_id}/recordings/`)
    expect(listed.status, listed.text).toBe(200)

    // What somebody threw away stays away.
    await service.api(`dashboards/${dashboards[0].id}/`, { method: 'PATCH', body: { deleted: true } })
    expect((await service.cli('demo', '--project', '1', '--visitors', VISITORS)).code).toBe(0)
    const again = await saved()
    expect(again.dashboards).toEqual([])
    expect([again.insights.length, again.playlists.length]).toEqual([insights.length, playlists.length])
  })

  it('goes on where it began when it is loaded again another day', async () => {
    const now = Date.now()
    const begin = Math.floor(now / DAY) * DAY - 400 * DAY
    const old = story({ begin, end: now, visitors: 40 })
    await service.capture(
      old.map(({ at, ...event }) => ({ ...event, timestamp: new Date(at).toISOString() })),
      TOKENS.two,
    )
    await service.stored()
    expect((await service.cli('demo', '--project', '2', '--visitors', VISITORS)).code).toBe(0)
    await service.stored()
    const [all, different, since] = await count(2)
    expect(different).toBe(all)
    // The command came to its end later than `now`, and the story goes on.
    const until = (end: number) => story({ begin, end, visitors: Number(VISITORS) }).length
    expect(all).toBeGreaterThanOrEqual(until(now))
    expect(all).toBeLessThanOrEqual(until(Date.now()))
    expect(Date.parse(since)).toBeLessThan(now - 300 * DAY)
  })

  it('belongs to whoever loads it', async () => {
    const created = JSON.parse((await service.cli('projects', 'create', '--name', 'Three', '--json')).stdout)
    const path = `/api/environments/${created.id}/`
    const begun = await service.api(`${path}demo_data/`, { body: { visitors: 40 }, key: KEYS.colleague })
    expect(begun.status, begun.text).toBe(202)
    const dashboard = await service.waitFor(
      async () => (await service.api(`${path}demo_data/`)).body.progress?.dashboard as number | null,
    )
    const { body } = await service.api(`${path}dashboards/${dashboard}/`)
    expect(body.created_by.first_name).toBe('Bob')
  })

  it('is refused for a project that is not there', async () => {
    const { code, stderr } = await service.cli('demo', '--project', '99')
    expect(code).not.toBe(0)
    expect(stderr).toContain('There is no project 99')
  })
})
