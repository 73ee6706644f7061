import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../support/service.ts'

describe('the whole service', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service?.stop())

  it('shows an event that was captured, with its person', async () => {
    await service.capture({ event: 'seen', distinct_id: 'ada', properties: { $set: { email: 'ada@example.com' } } })
    const event = await service.waitFor(
      async () => (await service.api('events/?event=seen')).body.results[0],
      'the event to be visible',
    )
    expect(event).toMatchObject({ distinct_id: 'ada', person: { name: 'ada@example.com' } })
  })

  it('keeps what it accepted through kill -9', async () => {
    await service.capture({ event: 'before the cut', distinct_id: 'ada' })
    await service.kill9()
    const { data } = service
    service = await startTestService({ data })
    await service.waitFor(
      async () => (await service.api('events/?event=before the cut')).body.results.length === 1,
      'the event to be there',
    )
  })
})
