import { isDeepStrictEqual } from 'node:util'
import { type IdentityEvent, isIllegalDistinctId, personUuid } from '../../src/identity/index.ts'
import type { Json, JsonObject } from '../../src/lib/json.ts'

/**
 * The rules of identity once more, as plainly as they can be said: one event after the other, no versions, no storage.
 * Tests compare the real thing with it.
 *
 * Batches come in at one place only. Under concurrency an event that changes nothing, of a person that its batch does not change either,
 * counts as of the moment its batch was read; every other event as of the moment its batch committed.
 */
const isPersonless = (event: IdentityEvent): boolean => event.properties.$process_person_profile === false

interface ModelPerson {
  uuid: string
  ids: Set<string>
  properties: JsonObject
  isIdentified: boolean
  createdAt: number
}

export class IdentityModel {
  readonly persons = new Map<string, ModelPerson>()
  readonly overrides = new Map<string, string>()
  /** Event uuid -> the person it was stored with. */
  readonly events = new Map<string, string>()
  readonly #personless = new Set<string>()
  readonly #project: number
  /** Persons and ids that were changed, or read to refuse a merge. */
  readonly #touched = new Set<string>()

  constructor(project: number) {
    this.#project = project
  }

  /** Applies an event; returns the person properties that it is stored with. */
  apply(event: IdentityEvent): JsonObject {
    const { distinctId: id, properties } = event
    if (isPersonless(event)) {
      const owner = this.#owner(id)
      if (!owner && !this.#personless.has(id)) {
        this.#personless.add(id)
        this.#touched.add(id)
        this.overrides.delete(this.#uuid(id))
      }
      this.events.set(event.uuid, owner?.uuid ?? this.#uuid(id))
      return {}
    }
    const isNew = this.#merge(event)
    let person = this.#owner(id)
    if (!person) person = this.#create(event, id, [id])
    else if (person !== isNew) this.#update(person, properties)
    this.events.set(event.uuid, person.uuid)
    return { ...person.properties, ...(properties.$set as JsonObject | undefined) }
  }

  /** Which events of a batch change nothing, and have a person that no other event of the batch changes, if they came now. */
  readers(batch: readonly IdentityEvent[]): Set<IdentityEvent> {
    const rehearsal = this.#copy()
    const of = batch.map((event) => {
      rehearsal.apply(event)
      return rehearsal.#owner(event.distinctId)?.uuid ?? event.distinctId
    })
    return new Set(batch.filter((_, i) => !rehearsal.#touched.has(of[i] as string)))
  }

  #copy(): IdentityModel {
    const copy = new IdentityModel(this.#project)
    for (const [uuid, person] of this.persons) copy.persons.set(uuid, { ...person, ids: new Set(person.ids) })
    for (const [from, to] of this.overrides) copy.overrides.set(from, to)
    for (const id of this.#personless) copy.#personless.add(id)
    return copy
  }

  /** Deletes whoever has the id, and forgets the person's events: what they count for afterwards is nobody's promise. */
  delete(id: string): void {
    const person = this.#owner(id)
    if (!person) return
    for (const [event] of this.events) if (this.personOf(event) === person.uuid) this.events.delete(event)
    this.persons.delete(person.uuid)
  }

  has(id: string): boolean {
    return this.#owner(id) !== undefined
  }

  /** Who an event counts for now. */
  personOf(event: string): string {
    let uuid = this.events.get(event) as string
    while (this.overrides.has(uuid)) uuid = this.overrides.get(uuid) as string
    return uuid
  }

  #merge(event: IdentityEvent): ModelPerson | null {
    const { $anon_distinct_id, alias } = event.properties
    const told = (event.event === '$identify' ? $anon_distinct_id : alias) as string | undefined
    if (told === undefined || told === event.distinctId) return null
    const [into, other] = event.event === '$create_alias' ? [told, event.distinctId] : [event.distinctId, told]
    if (isIllegalDistinctId(into) || isIllegalDistinctId(other)) return null
    const survivor = this.#owner(into)
    const leaving = this.#owner(other)
    if (!survivor && !leaving) {
      const first = this.#personless.has(other) && !this.#personless.has(into) ? other : into
      const person = this.#create(event, first, [into, other])
      person.isIdentified = true
      return person
    }
    if (!survivor || !leaving) {
      const person = (survivor ?? leaving) as ModelPerson
      this.#give(survivor ? other : into, person)
      this.#identified(person)
      return null
    }
    if (survivor === leaving) this.#identified(survivor)
    else if (this.#refused(event, survivor, leaving)) {
      this.#identified(this.#owner(event.distinctId) as ModelPerson)
      this.#touched.add(survivor.uuid).add(leaving.uuid)
    } else this.#absorb(survivor, leaving)
    return null
  }

  #identified(person: ModelPerson): void {
    if (!person.isIdentified) this.#touched.add(person.uuid)
    person.isIdentified = true
  }

  #refused(event: IdentityEvent, survivor: ModelPerson, leaving: ModelPerson): boolean {
    if (event.event === '$merge_dangerously') return false
    return leaving.isIdentified && (event.event === '$identify' || survivor.isIdentified)
  }

  #absorb(survivor: ModelPerson, leaving: ModelPerson): void {
    survivor.properties = { ...leaving.properties, ...survivor.properties }
    survivor.createdAt = Math.min(survivor.createdAt, leaving.createdAt)
    survivor.isIdentified = true
    for (const id of leaving.ids) survivor.ids.add(id)
    this.#touched.add(survivor.uuid).add(leaving.uuid)
    this.persons.delete(leaving.uuid)
    this.overrides.set(leaving.uuid, survivor.uuid)
  }

  #create(event: IdentityEvent, uuidFrom: string, ids: string[]): ModelPerson {
    const uuid = this.#uuid(uuidFrom)
    const { $set = {}, $set_once = {} } = event.properties as { $set?: JsonObject; $set_once?: JsonObject }
    const person = {
      uuid,
      ids: new Set<string>(),
      properties: { ...$set_once, ...$set, $creator_event_uuid: event.uuid },
      isIdentified: false,
      createdAt: event.timestamp,
    }
    this.persons.set(uuid, person)
    this.overrides.delete(uuid)
    for (const id of ids) this.#give(id, person)
    return person
  }

  #give(id: string, person: ModelPerson): void {
    person.ids.add(id)
    this.#touched.add(person.uuid).add(id)
    if (this.#personless.delete(id) && this.#uuid(id) !== person.uuid) this.overrides.set(this.#uuid(id), person.uuid)
  }

  #update(person: ModelPerson, properties: JsonObject): void {
    const before = person.properties
    const {
      $set = {},
      $set_once = {},
      $unset = [],
    } = properties as {
      $set?: JsonObject
      $set_once?: JsonObject
      $unset?: Json[]
    }
    const after = { ...$set_once, ...before, ...$set }
    for (const key of $unset as string[]) if (key in before) delete after[key]
    if (!isDeepStrictEqual(after, before)) this.#touched.add(person.uuid)
    person.properties = after
  }

  #owner(id: string): ModelPerson | undefined {
    return [...this.persons.values()].find((person) => person.ids.has(id))
  }

  #uuid(id: string): string {
    return personUuid(this.#project, id)
  }
}
