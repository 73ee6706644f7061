import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp, readFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import expected from '../fixtures/data-0.1.json' with { type: 'json' }
import type { TestService } from './service.ts'

/** What `test/fixtures/make-data-0.1.mjs` put there: a data folder of version 0.1 that was killed with work under way. */
export async function unpackData01(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'footfall-from-0.1-'))
  // When root runs the tests, the service becomes a user of its own, who has to get through.
  await chmod(folder, 0o711)
  const tar = brotliDecompressSync(await readFile(new URL('../fixtures/data-0.1.tar.br', import.meta.url)))
  execFileSync('tar', ['-xf', '-', '-C', folder], { input: tar })
  return path.join(folder, 'data')
}

interface Person {
  readonly distinct_ids: string[]
  readonly properties: Record<string, unknown>
}

/** Waits until what was under way has been done, and says what is there, in the form of `DATA_01`. */
export async function contentOf01(service: TestService) {
  const { key } = expected
  const get = async (at: string) => (await service.api(at, { key })).body
  const ask = async (query: string) =>
    (await service.api('query/', { key, body: { query: { kind: 'HogQLQuery', query }, refresh: 'force_blocking' } }))
      .body.results
  const events = async (): Promise<Record<string, number>> =>
    Object.fromEntries(
      await ask("select event, count() from events where event != 'seen once' group by event limit 50"),
    )
  const person = async (id: string): Promise<Person> => (await get(`persons/?distinct_id=${id}`)).results[0]
  const summary = async (id: string, ...keys: string[]) => {
    const { distinct_ids, properties } = await person(id)
    return [[...distinct_ids].sort(), ...keys.map((name) => properties[name])]
  }
  await service.waitFor(async () => (await events())['waited in the log'] === 25, 'what waited in the log')
  await service.waitFor(async () => (await person('runaway')).properties.laps === 1_299, 'what a spike put off')
  await service.waitFor(
    async () => (await get('session_recordings/session-1/')).click_count === 3,
    'the rest of the recording',
  )
  const snapshots = (await service.api('session_recordings/session-1/snapshots/', { key })).text.trim().split('\n')
  const login = { email: 'owner@example.com', password: 'correct horse battery' }
  return {
    events: await events(),
    persons: {
      ada: await summary('ada', 'email', 'plan'),
      bob: await summary('bob', 'city'),
      late: (await summary('late'))[0],
      forgotten: (await get('persons/?distinct_id=forgotten')).count,
    },
    groups: (await get('groups/?group_type_index=0')).results.map(
      (group: { group_key: string; group_properties: { seats: number } }) => [
        group.group_key,
        group.group_properties.seats,
      ],
    ),
    recording: snapshots.map((line) => JSON.parse(line).type),
    playlist: (await get(`session_recording_playlists/${expected.playlist}/recordings/`)).results.map(
      (recording: { id: string }) => recording.id,
    ),
    insight: (await get(`insights/${expected.insight}/`)).name,
    cohort: (await get(`cohorts/${expected.cohort}/persons/`)).results.map((one: Person) => one.properties.email),
    action: (await get(`actions/${expected.action}/`)).name,
    deletions: (await get('deletions/')).results.length,
    me: (await get('/api/users/@me/')).email,
    signIn: (await service.api('/api/login/', { key: null, body: login })).status,
  }
}

export const DATA_01: Awaited<ReturnType<typeof contentOf01>> = {
  events: {
    'page viewed': 20,
    $identify: 2,
    $create_alias: 1,
    $merge_dangerously: 1,
    $groupidentify: 1,
    opened: 2,
    paid: 1,
    ran: 1_300,
    'waited in the log': 25,
  },
  persons: {
    ada: [['ada', 'ada-on-the-phone', 'visitor-1'], 'ada@example.com', 'pro'],
    bob: [['bob', 'bob-too'], 'Ulm'],
    late: ['late', 'late-0'],
    forgotten: 0,
  },
  groups: [['acme', 7]],
  recording: [4, 2, 3, 3, 3],
  playlist: ['session-1'],
  insight: 'Pages',
  cohort: ['ada@example.com'],
  action: 'Pays',
  deletions: 1,
  me: 'owner@example.com',
  signIn: 200,
}
