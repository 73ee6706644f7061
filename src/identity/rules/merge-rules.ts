import type { Warning } from '../../events/index.ts'
import type { Json } from '../../lib/json.ts'
import { distinctIdText, isIllegalDistinctId } from './distinct-ids.ts'
import type { NormalisedEvent } from './normalise.ts'
import { attach, createPerson, mergedProperties } from './person-rules.ts'
import type { IdentityEvent } from './types.ts'
import { warning } from './warn.ts'
import type { IdState, PersonState, WorkingSet } from './working-set.ts'

/**
 * Two distinct ids that an event says belong to one person: the person of `into` survives.
 * `$identify` and `$merge_dangerously` keep the person of the event's distinct id, `$create_alias` the one of `alias`.
 */
interface MergeRequest {
  readonly into: string
  readonly other: string
}

export function mergeRequest(event: Pick<IdentityEvent, 'event' | 'distinctId' | 'properties'>): MergeRequest | null {
  switch (event.event) {
    case '$identify': {
      const anonymous = event.properties.$anon_distinct_id
      return isThere(anonymous) ? { into: event.distinctId, other: distinctIdText(anonymous) } : null
    }
    case '$merge_dangerously': {
      const { alias } = event.properties
      return isTruthy(alias) ? { into: event.distinctId, other: distinctIdText(alias) } : null
    }
    case '$create_alias': {
      const { alias } = event.properties
      return isTruthy(alias) ? { into: distinctIdText(alias), other: event.distinctId } : null
    }
    default:
      return null
  }
}

/** Carries out a merge, or refuses it with a warning. Returns the person it created, if any. */
export function merge(
  set: WorkingSet,
  event: NormalisedEvent,
  request: MergeRequest,
  warnings: Warning[],
): PersonState | null {
  if (request.into === request.other) return null
  const illegal = [request.into, request.other].find(isIllegalDistinctId)
  if (illegal !== undefined) {
    warnings.push(
      warning('cannot_merge_with_illegal_distinct_id', event, {
        illegalDistinctId: illegal,
        otherDistinctId: illegal === request.into ? request.other : request.into,
      }),
    )
    return null
  }
  const into = set.id(event.project, request.into)
  const other = set.id(event.project, request.other)
  const survivor = set.personOf(into)
  const leaving = set.personOf(other)
  let created: PersonState | null = null
  if (survivor && leaving) {
    if (survivor !== leaving) {
      if (!mayMerge(event, survivor, leaving)) {
        refuseMerge(set, event, request, warnings)
        // The persons that led to the refusal must be unchanged at the commit: the decision may change another person's
        // flag.
        survivor.touched = true
        leaving.touched = true
        return null
      }
      record(set, event, request, survivor, leaving.uuid)
      absorb(set, event, survivor, leaving, warnings)
    }
    identified(survivor)
  } else if (survivor || leaving) {
    const person = (survivor ?? leaving) as PersonState
    attach(set, survivor ? other : into, person)
    record(set, event, request, person, null)
    identified(person)
  } else {
    const uuidFrom = other.usedPersonless && !into.usedPersonless ? other : into
    created = createPerson(set, event, [into, other], uuidFrom, warnings)
    created.isIdentified = true
    record(set, event, request, created, null)
  }
  if (event.event === '$create_alias' && !isMain(into)) promote(set, into)
  return created
}

/**
 * An identified person is not merged into another, except by `$merge_dangerously`; an alias may merge if one of the two
 * is anonymous.
 */
function mayMerge(event: NormalisedEvent, survivor: PersonState, leaving: PersonState): boolean {
  if (event.event === '$merge_dangerously') return true
  if (event.event === '$create_alias') return !(survivor.isIdentified && leaving.isIdentified)
  return !leaving.isIdentified
}

function refuseMerge(set: WorkingSet, event: NormalisedEvent, request: MergeRequest, warnings: Warning[]): void {
  warnings.push(
    warning('cannot_merge_already_identified', event, {
      sourcePersonDistinctId: request.other,
      targetPersonDistinctId: request.into,
    }),
  )
  const own = set.personOf(set.id(event.project, event.distinctId))
  if (own) identified(own)
}

/** Moves everything of `leaving` to `survivor`. */
function absorb(
  set: WorkingSet,
  event: NormalisedEvent,
  survivor: PersonState,
  leaving: PersonState,
  warnings: Warning[],
): void {
  mergedProperties(survivor, leaving, event, warnings)
  survivor.createdAt = Math.min(survivor.createdAt, leaving.createdAt)
  survivor.lastSeenAt = Math.max(survivor.lastSeenAt, leaving.lastSeenAt)
  survivor.version = Math.max(survivor.version, leaving.version) + 1
  survivor.isIdentified = true
  survivor.touched = true
  leaving.mergedInto = survivor
  leaving.touched = true
  if (leaving.uuidUsed) set.override(event.project, leaving.uuid, survivor)
}

function identified(person: PersonState): void {
  if (person.isIdentified) return
  person.isIdentified = true
  person.version += 1
  person.touched = true
}

const isMain = (id: IdState): boolean => id.promoted || (id.position !== null && id.position < 0)

function promote(set: WorkingSet, id: IdState): void {
  id.promoted = true
  const person = set.personOf(id)
  if (person) person.touched = true
}

function record(
  set: WorkingSet,
  event: NormalisedEvent,
  request: MergeRequest,
  survivor: PersonState,
  mergedUuid: string | null,
): void {
  set.merges.push({
    project: event.project,
    survivor,
    mergedUuid,
    distinctId: request.into,
    otherDistinctId: request.other,
    event: event.event,
    eventUuid: event.uuid,
    timestamp: event.timestamp,
  })
}

const isThere = (value: Json | undefined): value is Json => value !== undefined && value !== null
const isTruthy = (value: Json | undefined): value is Json => Boolean(value)
