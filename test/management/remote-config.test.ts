import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService, TOKENS } from '../support/service.ts'

describe('settings of a project', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service?.stop())

  const config = async () => (await service.api(`/array/${TOKENS.one}/config`, { key: null })).body

  it('show in the remote config as soon as the change is answered', async () => {
    for (let round = 0; round < 10; round++) {
      const off = round % 2 === 0
      const path = off ? '/api/projects/1/' : '/api/environments/1/'
      const body = { autocapture_opt_out: off, session_recording_opt_in: !off }
      expect((await service.api(path, { method: 'PATCH', body })).status).toBe(200)
      expect(await config()).toMatchObject({
        autocapture_opt_out: off,
        sessionRecording: off ? false : { endpoint: '/s/' },
      })
    }
  })
})
