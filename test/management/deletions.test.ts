import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nextSundayAtFive } from '../../src/jobs/when.ts'
import { KEYS, startTestService, type TestService, TOKENS } from '../support/service.ts'

describe('deletion of what a person left behind', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
    // What these tests ask for must not be due before they look: on Sundays at five it is.
    const due = nextSundayAtFive(new Date()).getTime() - Date.now()
    if (due < 120_000) await delay(due + 10_000)
  })
  afterAll(() => service?.stop())

  const events = async (query: string) => (await service.api(`events/?${query}`)).body.results
  const personOf = async (id: string) => (await service.api(`persons/?distinct_id=${id}`)).body.results[0]
  const deletions = async () => (await service.api('deletions/')).body

  it('waits for Sunday, survives a power cut, erases all of it and nothing else, and leaves a receipt', async () => {
    const say = (distinct_id: string, event: string, properties = {}) => ({ event, distinct_id, properties })
    await service.capture([say('phone', 'a'), say('phone', 'b'), say('other', 'a')])
    await service.capture(say('phone', 'kept in two'), TOKENS.two)
    await service.capture([
      say('goner', 'c'),
      { event: '$identify', distinct_id: 'goner', properties: { $anon_distinct_id: 'phone' } },
    ])
    const person = await service.waitFor(async () => {
      const found = await personOf('goner')
      return found?.distinct_ids.length === 2 && (await events('limit=10')).length === 5 && found
    }, 'the events and the merge')

    const deleted = await service.api(`persons/${person.uuid}/?delete_events=true`, {
      method: 'DELETE',
      key: KEYS.persons,
    })
    expect(deleted.status).toBe(204)
    const open = await deletions()
    expect(open).toMatchObject({
      count: 1,
      results: [
        {
          kind: 'person',
          person_uuid: person.uuid,
          requested_by: 'owner@example.com',
          status: 'pending',
          ran_at: null,
          events_deleted: null,
          verified: null,
        },
      ],
    })
    const planned = new Date(open.results[0].scheduled_for)
    expect([planned.getUTCDay(), planned.getUTCHours(), planned > new Date()]).toEqual([0, 5, true])
    expect(await events('limit=10')).toHaveLength(5)

    await service.kill9()
    service = await startTestService({ data: service.data })
    expect((await deletions()).results[0].status).toBe('pending')

    await service.capture(say('phone', 'after the request'))
    await service.waitFor(async () => (await events('event=after the request')).length === 1, 'the late event')

    const ran = await service.cli('deletions', 'run', '--json')
    expect(ran.stderr).toBe('')
    expect(JSON.parse(ran.stdout)).toMatchObject([{ status: 'done', events_deleted: 4, verified: true }])
    const left = (await events('limit=10')).map((event: { event: string }) => event.event)
    expect(left.sort()).toEqual(['a', 'after the request'])
    expect((await service.api('/api/projects/2/events/')).body.results).toHaveLength(1)
    const { body } = await service.api('deletions/')
    expect(body.results[0]).toMatchObject({ status: 'done', events_deleted: 4, recordings_deleted: 0, verified: true })
    expect(body.results[0].ran_at).not.toBeNull()
    expect(JSON.parse((await service.cli('deletions', 'list', '--json')).stdout)).toHaveLength(1)
    expect((await service.cli('deletions', 'run')).stdout).toContain('Nothing was pending')
    expect(await personOf('phone')).toMatchObject({ distinct_ids: ['phone'] })
  })

  it('takes its time from the value of the flag, and one open request a person', async () => {
    await service.capture({ event: 'x', distinct_id: 'twice' })
    for (let round = 0; round < 2; round++) {
      const { id } = await service.waitFor(() => personOf('twice'), 'the person')
      await service.api(`persons/${id}/?delete_events=1`, { method: 'DELETE' })
      await service.capture({ event: 'x', distinct_id: 'twice' })
    }
    expect((await deletions()).results.filter(({ status }: { status: string }) => status === 'pending')).toHaveLength(1)
    await service.waitFor(async () => (await events('distinct_id=twice')).length === 3, 'three events')
    await service.cli('deletions', 'run')
    expect(await events('distinct_id=twice')).toHaveLength(1)
  })

  it('of a person in a split leaves the events of the others', async () => {
    await service.capture([
      { event: 'mine', distinct_id: 'left' },
      { event: 'mine', distinct_id: 'right' },
      { event: '$create_alias', distinct_id: 'left', properties: { alias: 'right' } },
    ])
    const person = await service.waitFor(async () => {
      const found = await personOf('left')
      return found?.distinct_ids.length === 2 && found
    }, 'the alias')
    await service.waitFor(async () => (await events('event=mine')).length === 2, 'the events')
    await service.api(`persons/${person.id}/split/`, { body: { main_distinct_id: 'left' } })
    await service.api(`persons/${person.id}/?delete_events=true`, { method: 'DELETE' })
    await service.cli('deletions', 'run')
    expect((await events('event=mine')).map((event: { distinct_id: string }) => event.distinct_id)).toEqual(['right'])
  })

  it('is shown to those who may read persons', async () => {
    expect((await service.api('deletions/', { key: null })).status).toBe(401)
    expect((await service.api('deletions/', { key: KEYS.insightsRead })).status).toBe(403)
    expect((await service.api('deletions/', { key: KEYS.personsRead })).status).toBe(200)
    expect((await service.api('/api/projects/2/deletions/')).body.count).toBe(0)
  })

  it('says what it cannot do on the command line', async () => {
    expect(await service.cli('deletions', 'undo')).toMatchObject({ code: 2, stderr: expect.stringContaining('list') })
  })
})
