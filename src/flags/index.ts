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
