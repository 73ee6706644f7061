import { setTimeout as delay } from 'node:timers/promises'
import { backoffMs } from '../lib/backoff.ts'
import { stringifyJson } from '../lib/json.ts'
import type { DemoEvent } from './journey.ts'
import type { DemoRecording } from './recording.ts'

export const BATCH = 1_000
const TRIES = 5

/** Sends events through the capture API like any import: in order, with `historical_migration`. */
export async function sendStory(
  events: readonly DemoEvent[],
  { url, token, onProgress }: { url: string; token: string; onProgress?: (sent: number) => void },
): Promise<void> {
  for (let sent = 0; sent < events.length; sent += BATCH) {
    const batch = events
      .slice(sent, sent + BATCH)
      .map(({ at, ...event }) => ({ ...event, timestamp: new Date(at).toISOString() }))
    await send(`${url}/batch/`, stringifyJson({ api_key: token, historical_migration: true, batch }))
    onProgress?.(Math.min(sent + BATCH, events.length))
  }
}

async function send(url: string, body: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    if (answer.ok) return
    if (answer.status < 500 || attempt === TRIES)
      throw new Error(`the service answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`)
    await delay(backoffMs(attempt, { firstMs: 500, longestMs: 5_000 }))
  }
}

/** Sends recordings as the SDK does, one upload each. */
export async function sendRecordings(
  recordings: readonly DemoRecording[],
  { url, token }: { url: string; token: string },
): Promise<void> {
  for (const { sessionId, distinctId, at, events } of recordings) {
    const snapshot = {
      event: '$snapshot',
      distinct_id: distinctId,
      timestamp: new Date(at).toISOString(),
      properties: {
        $session_id: sessionId,
        $window_id: sessionId,
        $snapshot_source: 'web',
        $snapshot_data: events,
        $lib: 'web',
      },
    }
    await send(`${url}/s/`, stringifyJson({ api_key: token, batch: [snapshot] }))
  }
}
