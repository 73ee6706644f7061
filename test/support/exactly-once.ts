import { expect } from 'vitest'
import type { Load } from './load.ts'
import type { TestService } from './service.ts'

/** How often each marker is stored, over all pages. */
export async function storedMarkers(service: TestService, event: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (let next: string | null = `/api/environments/1/events/?event=${encodeURIComponent(event)}&limit=10000`; next; ) {
    const path: string = next.replace(/^https?:\/\/[^/]+/, '')
    const answer = await service.waitFor(async () => {
      const given = await service.api(path)
      return given.status !== 503 && given
    }, 'an engine that was away to be back')
    expect(answer).toMatchObject({ status: 200 })
    const body: { results: { properties: { marker: string } }[]; next: string | null } = answer.body
    for (const { properties } of body.results) counts.set(properties.marker, (counts.get(properties.marker) ?? 0) + 1)
    next = body.next
  }
  return counts
}

/** Whether all of these are stored. They are counted first: whoever reads them all at each look keeps the engine from storing them. */
export async function areStored(service: TestService, event: string, markers: ReadonlySet<string>): Promise<boolean> {
  const query = { kind: 'HogQLQuery', query: 'SELECT count() FROM events WHERE event = {event}', values: { event } }
  const { body } = await service.api('query/', { body: { query, refresh: 'force_blocking' } })
  if (!(body?.results?.[0]?.[0] >= markers.size)) return false
  const stored = await storedMarkers(service, event)
  return [...markers].every((marker) => stored.has(marker))
}

export function expectExactlyOnce(load: Pick<Load, 'sent' | 'acknowledged'>, stored: Map<string, number>): void {
  const lost = [...load.acknowledged].filter((marker) => !stored.has(marker))
  const doubled = [...stored].filter(([, count]) => count > 1).map(([marker]) => marker)
  const strangers = [...stored.keys()].filter((marker) => !load.sent.has(marker))
  expect({ lost, doubled, strangers }).toEqual({ lost: [], doubled: [], strangers: [] })
}
