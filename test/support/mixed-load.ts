import { randomUUID } from 'node:crypto'
import { fullSnapshot, meta, mutation, upload } from './recordings.ts'
import { KEYS, TOKENS } from './service.ts'

/**
 * A load of everything that clients do, and a model of what must have become of it. Each client does one thing after another and, like an
 * SDK, sends what was not acknowledged again, the same events under the same uuids: so in the end everything it wanted to say is said,
 * once, and in its order, whatever died meanwhile.
 */
export class MixedLoad {
  /** Uuids of all events that were acknowledged in the end. */
  readonly events = new Set<string>()
  /** User -> every distinct id that must belong to the same person, and what was set last. */
  readonly users = new Map<string, { readonly ids: Set<string>; turn: number }>()
  readonly companies = new Map<string, number>()
  /** Recordings that were acknowledged, with the number of their rrweb events. */
  readonly recordings = new Map<string, number>()
  /** Distinct ids of persons whose deletion, with all events, was acknowledged. */
  readonly deleted = new Set<string>()
  failures = 0
  #url = ''
  #stopped = false
  #running: Promise<unknown> = Promise.resolve()

  start(url: string, clients = 3): void {
    this.#url = url
    this.#running = Promise.all(Array.from({ length: clients }, (_, n) => this.#client(`c${n}`)))
  }

  /** The service came back elsewhere. */
  moveTo(url: string): void {
    this.#url = url
  }

  /** Everything that was begun is finished first. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  async #client(name: string): Promise<void> {
    for (let turn = 0; !this.#stopped && turn < 10_000; turn++) {
      await this.#visit(name, turn)
      await this.#record(`${name}-recording-${turn}`)
      if (turn % 4 === 3) await this.#import(name, turn)
      if (turn % 3 === 2) await this.#comeAndGo(`${name}-gone-${turn}`)
    }
  }

  /** Somebody looks around, signs in as one of three users, gets an alias, and belongs to a company. */
  async #visit(name: string, turn: number): Promise<void> {
    const user = `${name}-user-${turn % 3}`
    const [anon, alias, company] = [`${name}-anon-${turn}`, `${name}-alias-${turn}`, `company of ${user}`]
    await this.#send('/e/', [eventOf('$pageview', anon), eventOf('$pageview', anon)])
    const identify = eventOf('$identify', user, { $anon_distinct_id: anon, $set: { turn }, $set_once: { first: turn } })
    await this.#send('/i/v0/e/', [identify])
    await this.#send('/batch/', [
      eventOf('$create_alias', user, { alias }),
      eventOf('$groupidentify', user, { $group_type: 'company', $group_key: company, $group_set: { turn } }),
      eventOf('bought', user, { $groups: { company } }),
      eventOf('bought', alias),
    ])
    const known = this.users.get(user) ?? { ids: new Set([user]), turn }
    known.ids.add(anon).add(alias)
    known.turn = turn
    this.users.set(user, known)
    this.companies.set(company, turn)
  }

  /** Large enough for a thread of its own. */
  #import(name: string, turn: number): Promise<void> {
    const ballast = 'x'.repeat(1_000)
    const events = Array.from({ length: 200 }, (_, n) =>
      eventOf('imported', `${name}-import-${n % 20}`, { turn, ballast }),
    )
    return this.#send('/batch/', events)
  }

  /** Each try is a recording of its own: a browser that sends again may have its upload stored twice. */
  async #record(session: string): Promise<void> {
    const at = Date.now() - 60_000
    const events = [
      meta(at),
      fullSnapshot(at + 1),
      ...Array.from({ length: 20 }, (_, n) => mutation(at + 2 + n, `${n}`)),
    ]
    const answer = await upload(this.#url, { session, events }).catch(() => null)
    if (answer?.status === 200) this.recordings.set(session, events.length)
    else await this.#pause()
  }

  /** A person who is seen, found, and deleted with everything. */
  async #comeAndGo(distinctId: string): Promise<void> {
    const event = eventOf('passing by', distinctId, { $set: { email: 'x@example.com' } })
    await this.#send('/e/', [event])
    const ask = (path: string, method = 'GET') =>
      fetch(`${this.#url}/api/environments/1/persons/${path}`, {
        method,
        headers: { authorization: `Bearer ${KEYS.all}` },
      })
    for (let tries = 0; tries < 200; tries++) {
      const found = await ask(`?distinct_id=${distinctId}`)
        .then(async (answer) =>
          answer.ok ? ((await answer.json()) as { results: { uuid: string }[] }).results[0] : null,
        )
        .catch(() => null)
      // From here on nobody knows whether it is still there, until a deletion is acknowledged.
      if (found) this.events.delete(event.uuid)
      const gone = found && (await ask(`${found.uuid}/?delete_events=true`, 'DELETE').catch(() => null))
      if (gone?.status === 204) {
        this.deleted.add(distinctId)
        return
      }
      if (this.#stopped && tries > 20) return
      await this.#pause()
    }
  }

  async #send(path: string, batch: readonly ReturnType<typeof eventOf>[]): Promise<void> {
    const body = JSON.stringify(
      batch.length === 1 ? { api_key: TOKENS.one, ...batch[0] } : { api_key: TOKENS.one, batch },
    )
    for (let tries = 0; tries < 3_000; tries++) {
      const answer = await fetch(this.#url + path, { method: 'POST', body }).catch(() => null)
      if (answer?.status === 200) {
        for (const { uuid } of batch) this.events.add(uuid)
        return
      }
      if (answer && answer.status < 500) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
      await this.#pause()
    }
    throw new Error('the service does not come back')
  }

  #pause(): Promise<void> {
    this.failures += 1
    return new Promise((done) => setTimeout(done, 40))
  }
}

const eventOf = (event: string, distinct_id: string, properties: object = {}) => ({
  uuid: randomUUID(),
  event,
  distinct_id,
  timestamp: new Date().toISOString(),
  properties,
})
