export { cohortsOf, dependentsOf, variantKeys } from './check/named.ts'
export { conditionsOf, type Rollout, rolloutOf, simpleRollout, statusOf } from './check/rollout.ts'
export { fieldsOfScheduled } from './check/scheduled.ts'
export type { FlagFields, FlagState } from './check/state.ts'
export { wrongInFilter } from './operators/matcher.ts'
export { compileCohort } from './rules/compile-cohort.ts'
export { compileFlag } from './rules/compile-flag.ts'
export { compileProject, dependencyChain } from './rules/compile-project.ts'
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
} from './rules/decision.ts'
export {
  type CompiledFlag,
  NOTHING_STORED,
  type ProjectFlags,
  type StoredSubject,
  type Subject,
} from './rules/definition.ts'
export { type EvaluationOptions, evaluateFlags } from './rules/evaluate.ts'
export { rolloutHash, variantHash } from './rules/hash.ts'
export { type Runtime, runtimeOf, type Selection, selectFlags } from './rules/selection.ts'
export type { StoredFlag, StoredFlagCohort } from './rules/stored.ts'
export { BehaviourCohorts } from './store/behaviour-cohorts.ts'
export {
  createEarlyAccess,
  earlyAccessOfFlag,
  findEarlyAccess,
  listEarlyAccess,
  removeEarlyAccess,
  type SavedEarlyAccess,
  updateEarlyAccess,
} from './store/early-access.ts'
export {
  createExperiment,
  findExperiment,
  listExperiments,
  type SavedExperiment,
  updateExperiment,
} from './store/experiments.ts'
export { type FlagDirectory, type OpenFlagDirectory, openFlagDirectory } from './store/flag-directory.ts'
export { forgetUnusedHashKeys } from './store/hash-keys.ts'
export { listFlags } from './store/list-flags.ts'
export { type EarlyAccessFeature, readProjectFlags } from './store/load-flags.ts'
export { countMatching, type Matching } from './store/matching.ts'
export { noteUsage } from './store/note-usage.ts'
export { type AskMemberships, readSubject } from './store/read-subject.ts'
export { changeFlag, changeFlagIn, checkCondition, createFlag, createFlagIn, tryChange } from './store/save-flag.ts'
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
export { type Asker, SubjectReader } from './store/subject-reader.ts'
export { type AnswerForm, flagFields } from './wire/answers.ts'
export { definitionsDocument } from './wire/definitions-document.ts'
export { LastAnswers } from './wire/last-answers.ts'
