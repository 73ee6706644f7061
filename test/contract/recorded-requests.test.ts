import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CaptureServer, startCaptureServer } from '../support/capture-server.ts'

/** Requests of real SDKs, recorded on the wire, sent again byte for byte (gzip anew). */
interface Recorded {
  readonly m: string
  readonly url: string
  readonly h: Record<string, string>
  readonly dec: string
  readonly body: string
}

const FOLDER = path.join(import.meta.dirname, '../fixtures/sdk-requests')
const FORWARDED = ['content-type', 'content-encoding', 'origin', 'user-agent']

let server: CaptureServer
beforeAll(async () => {
  server = await startCaptureServer()
})
afterAll(() => server.stop())

const send = ({ m, url, h, dec, body }: Recorded) => {
  const headers = Object.fromEntries(FORWARDED.filter((name) => h[name]).map((name) => [name, h[name] as string]))
  const bytes = dec === 'gzip' ? gzipSync(body) : body
  return fetch(server.url + url, { method: m, headers, ...(m === 'POST' ? { body: bytes } : {}) })
}

const isCapture = ({ m, url }: Recorded) => m === 'POST' && /^\/(e|i\/v0\/e|batch|s)\//.test(url)

/** The events of a body by the test's own reading of it. */
function eventsIn(body: string): { event: string; properties: Record<string, unknown> }[] {
  const text = body.startsWith('data=')
    ? Buffer.from(decodeURIComponent(body.slice('data='.length)), 'base64').toString()
    : body
  const value = JSON.parse(text)
  return Array.isArray(value) ? value : (value.batch ?? [value])
}

for (const file of readdirSync(FOLDER)) {
  const requests = readFileSync(path.join(FOLDER, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recorded)

  describe(file, () => {
    requests.forEach((recorded, index) => {
      test(`${index} ${recorded.m} ${recorded.url.split('?')[0]}`, async () => {
        server.log.clear()
        const answer = await send(recorded)
        expect(answer.status).toBe(recorded.url.includes('beacon=1') ? 204 : 200)
        if (recorded.h.origin) expect(answer.headers.get('access-control-allow-origin')).toBe(recorded.h.origin)
        if (!isCapture(recorded)) return

        expect(server.log.warnings).toEqual([])
        const sent = eventsIn(recorded.body)
        const stored = server.log.events
        const snapshots = sent.filter(({ event }) => event === '$snapshot')
        expect(stored.length + snapshots.length).toBe(sent.length)
        for (const each of sent.filter(({ event }) => event !== '$snapshot')) {
          const match = stored.find(
            ({ event, properties }) => event === each.event && properties.$insert_id === each.properties.$insert_id,
          )
          expect(match?.properties).toMatchObject(each.properties)
        }
        expect(server.log.recordings.flatMap(({ items }) => items)).toEqual(
          snapshots.flatMap(({ properties }) => properties.$snapshot_data),
        )
      })
    })
  })
}
