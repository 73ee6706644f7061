import type { TransactionSql } from '../../engines/postgres/index.ts'
import type { Warning } from '../../events/index.ts'
import { MINUTE } from '../../lib/durations.ts'
import type { JsonObject } from '../../lib/json.ts'
import { type GroupSet, identifyGroup, NO_GROUPS, withGroups } from '../rules/group-rules.ts'
import { merge, mergeRequest } from '../rules/merge-rules.ts'
import { type NormalisedEvent, normalise, type Refused } from '../rules/normalise.ts'
import { createPerson, updatePerson } from '../rules/person-rules.ts'
import { overlaid } from '../rules/property-changes.ts'
import type { EventOutcome, GroupKeys, IdentityEvent, IdentityOutcome, PersonMode } from '../rules/types.ts'
import { current, type IdState, type PersonState, type WorkingSet } from '../rules/working-set.ts'
import { loadWorkingSet } from './load.ts'
import { loadGroups, writeGroups } from './store-groups.ts'
import { write } from './write.ts'

/** The creation time of persons without a profile, as PostHog has it. */
const NO_PERSON_CREATED_AT = 5_000
const NO_PROPERTIES = Object.freeze({})

/** The decision about one event. Its person is looked up at the end, when all merges of the batch are known. */
interface Decision {
  readonly event: NormalisedEvent
  properties: JsonObject
  readonly id: IdState
  /** Null while the id has no person. */
  readonly person: PersonState | null
  readonly personProperties: JsonObject
  readonly personMode: PersonMode
  readonly personCreatedAt: number
  groups: GroupKeys
  groupTypeIndex: number | null
  readonly warnings: Warning[]
}

/**
 * Finds, creates, changes and merges the persons of a batch, in the caller's transaction (read committed).
 * Throws IdentityConflict when another transaction interfered; then roll back and run the batch again.
 */
export async function resolveIdentities(
  tx: TransactionSql,
  events: readonly IdentityEvent[],
  now: Date,
): Promise<IdentityOutcome> {
  const normalised = events.map(normalise)
  const kept = normalised.filter((event): event is NormalisedEvent => !('refused' in event))
  const set = await loadWorkingSet(tx, kept)
  const groupSet = await loadGroups(tx, kept)
  const decided = normalised.map((event) => ('refused' in event ? event : decide(set, groupSet, event)))
  const copies = await write(tx, set, now)
  const groups = await writeGroups(tx, groupSet)
  return { events: decided.map(outcomeOf), rows: { ...copies, groups } }
}

function decide(set: WorkingSet, groups: GroupSet, event: NormalisedEvent): Decision {
  const id = set.id(event.project, event.distinctId)
  if (event.personProcessing === 'off') return lookedUp(set, event, id)
  const decision = event.personProcessing === 'full' ? withPerson(set, event, id) : lookedUp(set, event, id)
  const { properties, groups: keys } = withGroups(groups, event, decision.warnings)
  decision.properties = properties
  decision.groups = keys
  decision.groupTypeIndex = identifyGroup(groups, event, decision.warnings)
  return decision
}

function withPerson(set: WorkingSet, event: NormalisedEvent, id: IdState): Decision {
  const warnings = [...event.warnings]
  const request = mergeRequest(event)
  let created = request ? merge(set, event, request, warnings) : null
  let person = set.personOf(id)
  if (!person) {
    person = createPerson(set, event, [id], id, warnings)
    created = person
  }
  if (person !== created) updatePerson(person, event, warnings)
  return {
    event,
    properties: event.properties,
    id,
    person,
    personProperties: overlaid(person.properties, event.changes.set),
    personMode: 'full',
    personCreatedAt: person.createdAt,
    groups: NO_GROUPS,
    groupTypeIndex: null,
    warnings,
  }
}

/** An event without a person still gets a stable uuid, so that a later merge can include it. */
function lookedUp(set: WorkingSet, event: NormalisedEvent, id: IdState): Decision {
  const person = set.personOf(id)
  if (!person) set.markPersonless(id)
  const deferred = event.personProcessing === 'deferred'
  return {
    event,
    properties: event.properties,
    id,
    person,
    personProperties: deferred && person ? person.properties : NO_PROPERTIES,
    personMode: person ? modeOf(deferred, event, person) : 'propertyless',
    personCreatedAt: person?.createdAt ?? NO_PERSON_CREATED_AT,
    groups: NO_GROUPS,
    groupTypeIndex: null,
    warnings: [...event.warnings],
  }
}

/** A personless event well after its person was created gets the mode 'force_upgrade', as in PostHog. */
function modeOf(deferred: boolean, event: NormalisedEvent, person: PersonState): PersonMode {
  if (deferred) return 'full'
  return event.timestamp > person.createdAt + MINUTE ? 'force_upgrade' : 'propertyless'
}

function outcomeOf(decision: Decision | Refused): EventOutcome {
  if ('refused' in decision) return { kind: 'drop', reason: decision.refused, warnings: decision.warnings }
  const { event, id, person } = decision
  const owner = person ?? id.person
  return {
    kind: 'keep',
    properties: decision.properties,
    distinctId: event.distinctId,
    personId: owner ? current(owner).uuid : id.uuid,
    personProperties: decision.personProperties,
    personMode: decision.personMode,
    personCreatedAt: decision.personCreatedAt,
    groups: decision.groups,
    groupTypeIndex: decision.groupTypeIndex,
    warnings: decision.warnings,
  }
}
