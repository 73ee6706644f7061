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
export { type Runtime, runtimeOf, type Selection, selectFlags } from './rules/selection.ts'
export type { StoredFlag, StoredFlagCohort } from './rules/stored.ts'
export { type AnswerForm, flagFields } from './wire/answers.ts'
export { definitionsDocument } from './wire/definitions-document.ts'
