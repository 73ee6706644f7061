export { patchPersonProperties } from './change-persons.ts'
export { IdentityConflict } from './conflict.ts'
export { copyIdentities } from './copy-all.ts'
export {
  changeNotes,
  DefinitionRecorder,
  type EventDefinition,
  listEventDefinitions,
  listPropertyDefinitions,
  type NotedBatch,
  type Notes,
  type PropertyDefinition,
  propertyTypes,
  propertyValues,
} from './definitions/index.ts'
export { type DeletedPerson, deletePersons, type PersonChoice } from './delete-persons.ts'
export { isAnonymousId, orderedDistinctIds, personName } from './display.ts'
export { isIllegalDistinctId, storableId } from './distinct-ids.ts'
export { type FoldOptions, type FoldResult, foldOverrides } from './fold-overrides.ts'
export { groupPropertyNames, groupPropertyValues } from './group-properties.ts'
export { type ImportedGroup, type ImportedGroupType, importGroups, importGroupTypes } from './import-groups.ts'
export {
  type ImportedPerson,
  type ImportedProperties,
  importPersonProperties,
  importPersons,
} from './import-persons.ts'
export { mergeRequest } from './merge-rules.ts'
export { normalise } from './normalise.ts'
export { personUuid } from './person-uuid.ts'
export {
  findPerson,
  findPersonByDistinctId,
  looksLikePersonId,
  type MergeHistoryEntry,
  mergeHistory,
  type Person,
  type PersonRecord,
  personColumns,
  personOf,
  personsByDistinctIds,
  personsByUuid,
} from './persons.ts'
export {
  findGroup,
  type Group,
  type GroupCursor,
  type GroupPage,
  type GroupType,
  listGroups,
  listGroupTypes,
} from './read-groups.ts'
export { resolveIdentities } from './resolve.ts'
export { type SplitResult, splitPerson } from './split-person.ts'
export { joinCohort, leaveCohort } from './static-cohorts.ts'
export type {
  ClickHouseCopies,
  CohortPersonRow,
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
