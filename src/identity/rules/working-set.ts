import type { JsonObject } from '../../lib/json.ts'
import { personUuid } from './person-uuid.ts'

/** A person within this batch: as read from Postgres at the start, with the changes of the batch so far. */
export interface PersonState {
  readonly project: number
  readonly uuid: string
  /** Null for a person that this batch created. */
  readonly id: number | null
  /** Replaced, never mutated: outcomes of earlier events refer to it. */
  properties: JsonObject
  /** At least the bytes of the properties' JSON. */
  propertyBytes: number
  createdAt: number
  version: number
  /** The version that Postgres must still have when we write. */
  readonly storedVersion: number
  isIdentified: boolean
  lastSeenAt: number
  readonly storedLastSeenAt: number
  /** Must be written, or at least locked: the person or one of its distinct ids changes. */
  touched: boolean
  mergedInto: PersonState | null
  /** Whether stored events may have this uuid, so that a merge needs an override. */
  readonly uuidUsed: boolean
}

/** One distinct id. */
export class IdState {
  readonly project: number
  readonly distinctId: string
  person: PersonState | null
  readonly stored: 'unknown' | 'personless' | 'owned'
  /** Whether events without a person used it: in Postgres already, or in this batch. */
  usedPersonless: boolean
  readonly position: number | null
  /** Its position among the ids that this batch gave to a person. */
  attachedAs: number | null = null
  /** An alias made it the main id of its person. */
  promoted = false
  #uuid: string | null = null

  constructor(known: Pick<IdState, 'project' | 'distinctId' | 'person' | 'stored' | 'position'>) {
    this.project = known.project
    this.distinctId = known.distinctId
    this.person = known.person
    this.stored = known.stored
    this.usedPersonless = known.stored === 'personless'
    this.position = known.position
  }

  /** Derived from the id, whichever person has it. Only ids without a person need it, and those several times. */
  get uuid(): string {
    this.#uuid ??= personUuid(this.project, this.distinctId)
    return this.#uuid
  }
}

/** What is known about the uuid derived from a distinct id that has no row. */
export interface UuidFacts {
  /** Another person has it since a split, or its events are being moved away at the moment. */
  readonly taken: boolean
  readonly tombstoneVersion: number | null
  readonly overridden: boolean
}

interface MergeRecord {
  readonly project: number
  readonly survivor: PersonState
  readonly mergedUuid: string | null
  readonly distinctId: string
  readonly otherDistinctId: string
  readonly event: string
  readonly eventUuid: string
  readonly timestamp: number
}

export const idKey = (project: number, distinctId: string): string => `${project}:${distinctId}`

/** The persons and distinct ids of one batch. Rules read and change it; `store/write.ts` writes the changes. */
export class WorkingSet {
  readonly ids = new Map<string, IdState>()
  readonly persons: PersonState[] = []
  /** Old uuid -> the person of its events now; null ends an override. Keyed by project and uuid. */
  readonly overrides = new Map<string, { project: number; oldUuid: string; person: PersonState | null }>()
  readonly merges: MergeRecord[] = []
  #places = 0
  readonly #facts: ReadonlyMap<string, UuidFacts>

  constructor(ids: Iterable<IdState>, facts: ReadonlyMap<string, UuidFacts>) {
    const seen = new Set<PersonState>()
    for (const id of ids) {
      this.ids.set(idKey(id.project, id.distinctId), id)
      if (id.person && !seen.has(id.person)) {
        seen.add(id.person)
        this.persons.push(id.person)
      }
    }
    this.#facts = facts
  }

  id(project: number, distinctId: string): IdState {
    const found = this.ids.get(idKey(project, distinctId))
    if (!found) throw new Error(`distinct id was not loaded with its batch: ${distinctId}`)
    return found
  }

  personOf(id: IdState): PersonState | null {
    return id.person && current(id.person)
  }

  facts(id: IdState): UuidFacts {
    return (
      this.#facts.get(idKey(id.project, id.distinctId)) ?? { taken: false, tombstoneVersion: null, overridden: false }
    )
  }

  /**
   * Whether ClickHouse may have events with the uuid derived from this id. Events of this batch do not count: they get
   * their final person.
   */
  hasStoredEvents(id: IdState): boolean {
    const { tombstoneVersion, overridden } = this.facts(id)
    return id.stored === 'personless' || tombstoneVersion !== null || overridden
  }

  nextPlace(): number {
    return this.#places++
  }

  add(person: PersonState): void {
    this.persons.push(person)
  }

  override(project: number, oldUuid: string, person: PersonState | null): void {
    this.overrides.set(idKey(project, oldUuid), { project, oldUuid, person })
  }

  /** The uuid of events without a person. Ends an old override of that uuid. */
  markPersonless(id: IdState): string {
    if (!id.usedPersonless) {
      id.usedPersonless = true
      if (this.facts(id).overridden) this.override(id.project, id.uuid, null)
    }
    return id.uuid
  }
}

/** The person that this one has become after the merges of this batch. */
export function current(person: PersonState): PersonState {
  let now = person
  while (now.mergedInto) now = now.mergedInto
  return now
}
