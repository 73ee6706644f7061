import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { story } from '../../src/demo/index.ts'
import { startTestService, type TestService, TOKENS } from '../support/service.ts'

const DAY = 86_400_000
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
    const added = Number(/^([\d,]+) events/.exec(second.stdout)?.[1]?.replaceAll(',', '') ?? 0)
    expect(await count(1)).toMatchObject([events[0] + added, events[0] + added, events[2]])
    expect(await recordings()).toEqual(expect.arrayContaining(watched))
    expect((await service.api('ingestion_warnings/')).body).toEqual(problems)
  })

  it('goes on where it began when it is loaded again another day', async () => {
    const now = Date.now()
    const begin = Math.floor(now / DAY) * DAY - 400 * DAY
    const old = story({ begin, end: now, visitors: 40 })
    await service.capture(
      old.map(({ at, ...event }) => ({ ...event, timestamp: new Date(at).toISOString() })),
      TOKENS.two,
    )
    await service.waitFor(async () => (await count(2))[0] === old.length)
    expect((await service.cli('demo', '--project', '2', '--visitors', VISITORS)).code).toBe(0)
    const [all, different, since] = await count(2)
    expect(different).toBe(all)
    expect(all).toBe(story({ begin, end: now, visitors: Number(VISITORS) }).length)
    expect(Date.parse(since)).toBeLessThan(now - 300 * DAY)
  })

  it('is refused for a project that is not there', async () => {
    const { code, stderr } = await service.cli('demo', '--project', '99')
    expect(code).not.toBe(0)
    expect(stderr).toContain('There is no project 99')
  })
})
