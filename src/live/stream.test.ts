import { once } from 'node:events'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { LiveHub } from './hub.ts'
import { streamEvents } from './stream.ts'

test('nothing is kept for a client that left before its stream began, nor after the end of all streams', async () => {
  const hub = new LiveHub(() => {})
  let leave = () => {}
  const begun = new Promise<void>((done) => {
    const server = createServer(async (_, response) => {
      leave()
      await once(response, 'close')
      streamEvents(hub, 1, response, async () => true)
      done()
    })
    onTestFinished(() => void server.close())
    server.listen(0, '127.0.0.1', () => {
      const asked = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }).on('error', () => {})
      leave = () => asked.destroy()
    })
  })
  await begun
  expect(hub.size).toBe(0)

  hub.close()
  let ended = 0
  hub.watch(1, { batch: () => {}, end: () => ended++ })
  expect([hub.size, ended]).toEqual([0, 1])
})
