import { expect } from 'vitest'
import type { Load } from './load.ts'
import type { TestService } from './service.ts'

/** How often each marker is stored, over all pages. */
export async function storedMarkers(service: TestService, event: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (let next: string | null = `/api/environments/1/events/?event=${encodeURIComponent(event)}&limit=1000`; next; ) {
    const answer = await service.api(next.replace(/^https?:\/\/[^/]+/, ''))
    expect(answer).toMatchObject({ status: 200 })
    const body: { results: { properties: { marker: string } }[]; next: string | null } = answer.body
    for (const { properties } of body.results) counts.set(properties.marker, (counts.get(properties.marker) ?? 0) + 1)
    next = body.next
  }
  return counts
}

/** Nothing waits between the log and ClickHouse any more. */
export const drained = async (service: TestService) => {
  const { stdout } = await service.cli('status', '--json')
  const { log, pipeline } = JSON.parse(stdout)
  return log.backlog_bytes === 0 && pipeline.inserts_owed_to_clickhouse === 0
}

export function expectExactlyOnce(load: Load, stored: Map<string, number>): void {
  const lost = [...load.acknowledged].filter((marker) => !stored.has(marker))
  const doubled = [...stored].filter(([, count]) => count > 1).map(([marker]) => marker)
  const strangers = [...stored.keys()].filter((marker) => !load.sent.has(marker))
  expect({ lost, doubled, strangers }).toEqual({ lost: [], doubled: [], strangers: [] })
}
