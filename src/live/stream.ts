import type { ServerResponse } from 'node:http'
import { stringifyJson } from '../lib/json.ts'
import type { LiveBatch, LiveSample } from '../pipeline/index.ts'
import type { LiveHub } from './hub.ts'

const HEARTBEAT_MS = 15_000
/** How long a stream may outlive its key or session. */
const RECHECK_MS = 3_000
/** A slow reader loses samples instead of filling memory; the counts stay correct. */
const MOST_UNREAD_BYTES = 512 * 1024

/**
 * The connection of one watcher, as server-sent events:
 *   hello   at once, so that the page knows it is connected
 *   batch   {stored, warned, events: [...]} for each batch that touches the project
 * and a comment every 15 s, so that proxies keep it open. Ends when the client goes away, when the service stops, and
 * when the caller is no longer allowed; `isAllowed` is called every few seconds, and when it throws the stream
 * continues.
 */
export function streamEvents(
  hub: LiveHub,
  project: number,
  response: ServerResponse,
  isAllowed: () => Promise<boolean>,
): void {
  // The client may have left while it was authenticated: `close` was emitted then, and will not be again.
  if (response.destroyed) return
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    connection: 'keep-alive',
  })
  const send = (event: string, data: unknown) => response.write(`event: ${event}\ndata: ${stringifyJson(data)}\n\n`)
  send('hello', { project, now: new Date().toISOString() })
  const heartbeat = setInterval(() => response.write(': still here\n\n'), HEARTBEAT_MS)
  const leave = hub.watch(project, {
    batch: ({ stored, warned, samples }: LiveBatch) => {
      const keepsUp = response.writableLength < MOST_UNREAD_BYTES
      send('batch', { stored, warned, events: keepsUp ? samples.map(wireEvent) : [] })
    },
    end: () => response.end(),
  })
  const recheck = setInterval(() => {
    isAllowed().then(
      (allowed) => {
        if (!allowed) response.end()
      },
      () => {},
    )
  }, RECHECK_MS)
  response.once('close', () => {
    clearInterval(heartbeat)
    clearInterval(recheck)
    leave()
  })
}

const wireEvent = (sample: LiveSample) => ({
  outcome: sample.outcome,
  uuid: sample.uuid,
  event: sample.event,
  distinct_id: sample.distinctId,
  person_id: sample.personId,
  timestamp: new Date(sample.timestamp).toISOString(),
  received_at: new Date(sample.receivedAt).toISOString(),
  properties: sample.properties,
  warnings: sample.warnings,
})
