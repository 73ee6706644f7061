import { gzipSync } from 'node:zlib'
import { TOKENS } from './service.ts'

/** rrweb events for tests: short, and of the shapes real ones have. */
export interface Rrweb {
  type: number
  timestamp: number
  data: unknown
  cv?: string
}

export const meta = (timestamp: number, href = 'https://example.com/start'): Rrweb => ({
  type: 4,
  timestamp,
  data: { href, width: 800, height: 600 },
})

export const fullSnapshot = (timestamp: number, text = 'hello'): Rrweb => ({
  type: 2,
  timestamp,
  data: {
    node: {
      type: 0,
      id: 1,
      childNodes: [
        {
          type: 2,
          id: 2,
          tagName: 'html',
          attributes: {},
          childNodes: [
            { type: 2, id: 3, tagName: 'head', attributes: {}, childNodes: [] },
            { type: 2, id: 4, tagName: 'body', attributes: {}, childNodes: [{ type: 3, id: 5, textContent: text }] },
          ],
        },
      ],
    },
    initialOffset: { left: 0, top: 0 },
  },
})

export const mutation = (timestamp: number, value: string): Rrweb => ({
  type: 3,
  timestamp,
  data: { source: 0, texts: [{ id: 5, value }], attributes: [], removes: [], adds: [] },
})

export const click = (timestamp: number): Rrweb => ({
  type: 3,
  timestamp,
  data: { source: 2, type: 2, id: 4, x: 1, y: 2 },
})
export const input = (timestamp: number): Rrweb => ({
  type: 3,
  timestamp,
  data: { source: 5, text: '*', isChecked: false, id: 4 },
})
export const mouseMove = (timestamp: number): Rrweb => ({
  type: 3,
  timestamp,
  data: { source: 1, positions: [{ x: 1, y: 1, id: 4, timeOffset: 0 }] },
})
export const consoleLine = (timestamp: number, level: string, message: string): Rrweb => ({
  type: 6,
  timestamp,
  data: {
    plugin: 'rrweb/console@1',
    payload: { level, trace: [], payload: [JSON.stringify(message)] },
  },
})

/** As posthog-js packs it. */
const packed = (value: unknown) => gzipSync(JSON.stringify(value)).toString('latin1')
export function pack(event: Rrweb): Rrweb {
  if (event.type === 2) return { ...event, data: packed(event.data), cv: '2024-10' }
  const { source, ...fields } = event.data as Record<string, unknown>
  return {
    ...event,
    data: { source, ...Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, packed(value)])) },
    cv: '2024-10',
  }
}

export interface Upload {
  readonly session: string
  readonly events: readonly unknown[]
  readonly distinctId?: string
  readonly window?: string
  readonly token?: string
  readonly properties?: Record<string, unknown>
}

const uploadBody = (upload: Upload) => [
  {
    event: '$snapshot',
    properties: {
      $session_id: upload.session,
      $window_id: upload.window ?? 'window-1',
      $snapshot_data: upload.events,
      distinct_id: upload.distinctId ?? 'ada',
      token: upload.token ?? TOKENS.one,
      ...upload.properties,
    },
    timestamp: new Date().toISOString(),
  },
]

/** Sends as the browser does: gzipped, as text. */
export const upload = (url: string, recording: Upload): Promise<Response> =>
  fetch(`${url}/s/?compression=gzip-js`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: gzipSync(JSON.stringify(uploadBody(recording))),
  })
