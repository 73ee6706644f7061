export { IdentityConflict } from './conflict.ts'
export { isIllegalDistinctId } from './distinct-ids.ts'
export { normalise } from './normalise.ts'
export { personUuid } from './person-uuid.ts'
export { resolveIdentities } from './resolve.ts'
export type {
  ClickHouseCopies,
  DroppedEvent,
  EventOutcome,
  GroupKeys,
  GroupRow,
  IdentifiedEvent,
  IdentityEvent,
  IdentityOutcome,
  PersonMode,
  PersonOverrideRow,
  PersonProcessing,
  PersonRow,
} from './types.ts'
