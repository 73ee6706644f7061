import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kill9, processTree } from '../support/process-tree.ts'
import { click, fullSnapshot, meta, upload } from '../support/recordings.ts'
import { killCli, OWNER, runCli, startTestService, type TestService } from '../support/service.ts'

const PEOPLE = 4

describe('a backup of a service that takes events all the while', () => {
  let work: string
  let service: TestService
  let restored: TestService
  let dir: string
  let key: string
  let playlist: string
  const senders = new AbortController()
  /** By person, the numbers that were acknowledged. */
  const acknowledged: number[][] = Array.from({ length: PEOPLE }, () => [])
  let before: number[][]

  beforeAll(async () => {
    work = await mkdtemp(path.join(os.tmpdir(), 'footfall-backup-'))
    dir = path.join(work, 'saved')
    service = await startTestService()
    const at = Date.now() - 60_000
    await upload(service.url, { session: 'watched', events: [meta(at), fullSnapshot(at + 1), click(at + 2)] })
    await service.capture({
      event: '$groupidentify',
      distinct_id: 'p0',
      properties: { $group_type: 'company', $group_key: 'acme', $group_set: { seats: 5 } },
    })
    await service.capture({ event: '$identify', distinct_id: 'ada', properties: { $anon_distinct_id: 'anon-1' } })
    const created = await service.cli(...`keys create --email ${OWNER.email} --label x --scopes * --json`.split(' '))
    key = JSON.parse(created.stdout).value
    playlist = (await service.api('session_recording_playlists/', { body: { name: 'Kept' } })).body.short_id
    await service.api(`session_recording_playlists/${playlist}/recordings/watched/`, { method: 'POST' })
    await service.waitFor(() => recordingOf(service), 'the recording')

    const sending = acknowledged.map((numbers, person) => send(service, person, numbers, senders.signal))
    await service.waitFor(async () => acknowledged.every((numbers) => numbers.length >= 20), 'events to be sent')
    before = acknowledged.map((numbers) => [...numbers])
    const made = await service.cli('backup', dir)
    expect(made, made.stderr).toMatchObject({ code: 0 })
    expect(made.stdout).toContain(`${dir} holds everything as of `)
    senders.abort()
    await Promise.all(sending)
  })
  afterAll(async () => {
    senders.abort()
    await service?.stop()
    await restored?.stop()
    await rm(work, { recursive: true, force: true })
  })

  it('leaves nothing behind in the service, which goes on', async () => {
    await service.waitFor(
      async () => !(await readdir(service.data)).includes('log-of-backup'),
      'the moment to be let go',
    )
    await service.waitFor(async () => (await ticksOf(service)).length >= acknowledged.flat().length, 'all events')
    expect((await service.cli('doctor')).code).toBe(0)
  })

  it('is never written over something', async () => {
    const again = await service.cli('backup', dir)
    expect(again).toMatchObject({ code: 1 })
    expect(again.stderr).toContain('is not empty, and a backup never overwrites')
  })

  it('is refused when a file was damaged, before anything is touched', async () => {
    const copy = path.join(work, 'damaged')
    await cp(dir, copy, { recursive: true })
    const name = 'postgres/persons.copy.gz'
    const file = await open(path.join(copy, name), 'r+')
    await file.write(Buffer.from([1, 2, 3]), 0, 3, 20)
    await file.close()
    const answer = await runCli(['restore', copy, '--data', path.join(work, 'never')])
    expect(answer).toMatchObject({ code: 1 })
    expect(answer.stderr).toContain(`${name} is not as it was written`)
    expect(existsSync(path.join(work, 'never'))).toBe(false)
    await writeFile(path.join(copy, 'manifest.json'), '{"format":')
    expect((await runCli(['restore', copy, '--data', path.join(work, 'never')])).stderr).toContain('is damaged')
  })

  it('is not restored over data, nor under a running service', async () => {
    const used = path.join(work, 'used')
    await mkdir(path.join(used, 'log'), { recursive: true })
    const full = await runCli(['restore', dir, '--data', used])
    expect(full).toMatchObject({ code: 1 })
    expect(full.stderr).toContain('restore only fills an empty one. Move it away')
    const running = await runCli(['restore', dir, '--data', service.data])
    expect(running).toMatchObject({ code: 1 })
    expect(running.stderr).toContain('is in use by another Footfall')
  })

  it('that is killed is never mistaken for one, and the next one works', async () => {
    const half = path.join(work, 'half')
    const begun = async () => (await readdir(work)).some((name) => name.startsWith('half'))
    await killCli(['backup', half, '--data', service.data], () => service.waitFor(begun, 'it to begin'))
    const answer = await runCli(['restore', half, '--data', path.join(work, 'from-half')])
    // It may have been quicker than the kill: then it is whole.
    if (existsSync(half)) expect(answer.code).toBe(0)
    else expect(answer.stderr).toContain('is not a backup, or one that was not finished')
    expect(await service.cli('backup', path.join(work, 'next'))).toMatchObject({ code: 0 })
  })

  it('is whole although ClickHouse ends when it begins, and again while it is read', async () => {
    const engine = () => processTree(service.pid).filter(({ command }) => command.includes('clickhouse/embedded/child'))
    kill9(engine())
    const made = service.cli('backup', path.join(work, 'ended'))
    await service.waitFor(async () => (await readdir(work)).some((name) => name.startsWith('ended')), 'it to begin')
    kill9(engine())
    expect(await made).toMatchObject({ code: 0 })
  })

  describe('restored', () => {
    beforeAll(async () => {
      await mkdir(path.join(work, 'new'))
      const data = path.join(work, 'new', 'data')
      expect(await runCli(['restore', dir, '--data', data])).toMatchObject({ code: 0 })
      restored = await startTestService({ data, provision: null })
    })

    it('has every event that was acknowledged before it began, exactly once', async () => {
      const wanted = new Set(before.flat())
      const found = await restored.waitFor(async () => {
        const ticks = await ticksOf(restored)
        const numbers = new Set(ticks.map(({ n }) => n))
        return [...wanted].every((n) => numbers.has(n)) && ticks
      }, 'all events')
      expect(found.filter(({ count }) => count !== 1)).toEqual([])
    })

    it('has persons that agree with their events', async () => {
      await restored.stored()
      const ticks = await ticksOf(restored)
      for (let person = 0; person < PEOPLE; person++) {
        const theirs = ticks.filter(({ n }) => n % PEOPLE === person).map(({ n }) => n)
        const { body } = await restored.api(`persons/?distinct_id=p${person}`)
        expect(body.results[0].properties.last).toBe(Math.max(...theirs))
        expect(theirs).toEqual(acknowledged[person]?.slice(0, theirs.length))
      }
      const { body } = await restored.api('persons/?distinct_id=anon-1')
      expect(body.results[0].distinct_ids).toEqual(expect.arrayContaining(['ada', 'anon-1']))
      const trend = await restored.api('insights/trend/', {
        body: {
          events: [{ id: 'tick', math: 'dau' }],
          properties: [{ type: 'person', key: 'who', value: ['p1'] }],
          display: 'BoldNumber',
        },
      })
      expect(trend.body.result[0].aggregated_value).toBe(1)
    })

    it('has its groups, recordings, playlists, keys and passwords', async () => {
      const groups = await restored.api('groups/?group_type_index=0')
      expect(groups.body.results).toMatchObject([{ group_key: 'acme', group_properties: { seats: 5 } }])
      expect(await recordingOf(restored)).toMatchObject({ id: 'watched', click_count: 1 })
      const snapshots = await restored.api('session_recordings/watched/snapshots/')
      expect(snapshots.text.trim().split('\n')).toHaveLength(3)
      const items = await restored.api(`session_recording_playlists/${playlist}/recordings/`, { key })
      expect(items.body.results.map(({ id }: { id: string }) => id)).toEqual(['watched'])
      expect((await restored.api('/api/login/', { key: null, body: OWNER })).status).toBe(200)
    })

    it('goes on: events, persons and new persons', async () => {
      await restored.capture({ event: 'after', distinct_id: 'p0', properties: { $set: { after: true } } })
      await restored.capture({ event: 'after', distinct_id: 'somebody new' })
      await restored.waitFor(async () => (await restored.api('events/?event=after')).body.results.length === 2, 'both')
      const { body } = await restored.api('persons/?distinct_id=p0')
      expect(body.results[0].properties).toMatchObject({ after: true, who: 'p0' })
      expect((await restored.api('persons/?distinct_id=somebody%20new')).body.results).toHaveLength(1)
    })
  })
})

/** One person's events, each after the one before was acknowledged. */
async function send(service: TestService, person: number, numbers: number[], signal: AbortSignal): Promise<void> {
  for (let n = person; !signal.aborted && n < 40_000; n += PEOPLE) {
    const distinct_id = `p${person}`
    await service.capture({ event: 'tick', distinct_id, properties: { n, $set: { last: n, who: distinct_id } } })
    numbers.push(n)
    await delay(20)
  }
}

async function ticksOf(service: TestService): Promise<{ n: number; count: number }[]> {
  const query = "select toInt(properties.n), count() from events where event = 'tick' group by 1 order by 1 limit 50000"
  const { body } = await service.api('query/', {
    body: { query: { kind: 'HogQLQuery', query }, refresh: 'force_blocking' },
  })
  return body.results.map(([n, count]: [number, number]) => ({ n, count }))
}

const recordingOf = async (service: TestService) =>
  (await service.api('session_recordings/')).body.results.find(({ id }: { id: string }) => id === 'watched')

/** Nothing waits in the log any more. */
