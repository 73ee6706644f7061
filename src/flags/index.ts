export { cohortsOf, dependentsOf, variantKeys } from './check/named.ts'
export { conditionsOf, type Rollout, rolloutOf, simpleRollout, statusOf } from './check/rollout.ts'
export { fieldsOfScheduled } from './check/scheduled.ts'
export type { FlagFields, FlagState } from './check/state.ts'
export {
  type ConditionAnalysis,
  FAILURES,
  type FailureCode,
  type FilterAnalysis,
  type FlagDecision,
  flagValue,
  REASONS,
  type Reason,
  type ReasonCode,
} from './decision.ts'
export {
  type CompiledFlag,
  NOTHING_STORED,
  type ProjectFlags,
  type StoredFlag,
  type StoredFlagCohort,
  type StoredSubject,
  type Subject,
} from './definition.ts'
export { listFlags } from './store/list-flags.ts'
export { changeFlag, changeFlagIn, createFlag, tryChange } from './store/save-flag.ts'
export {
  type FlagVersion,
  findFlag,
  findVersion,
  flagsById,
  flagsThatDependOn,
  type SavedFlag,
} from './store/saved-flag.ts'
export {
  type ChangeFields,
  findChange,
  listChanges,
  removeChange,
  rescheduleChange,
  runScheduledChanges,
  type SavedChange,
  scheduleChange,
} from './store/scheduled-changes.ts'
