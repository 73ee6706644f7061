export { API_QUEUE, type CopiedRows, changeAndCopy } from './admin/change-and-copy.ts'
export { patchPersonProperties } from './admin/change-persons.ts'
export { copyIdentities } from './admin/copy-all.ts'
export { type DeletedPerson, deletePersons, type PersonChoice } from './admin/delete-persons.ts'
export { foldOverrides, withoutFolding } from './admin/fold-overrides.ts'
export { importGroups, importGroupTypes } from './admin/import-groups.ts'
export { importPersonProperties, importPersons } from './admin/import-persons.ts'
export { splitPerson } from './admin/split-person.ts'
export {
  changeNotes,
  DefinitionRecorder,
  type EventDefinition,
  type LeftOut,
  listEventDefinitions,
  listPropertyDefinitions,
  type NotedBatch,
  type Notes,
  type PropertyDefinition,
  propertyShares,
  propertyTypes,
  propertyValues,
} from './definitions/index.ts'
export { personName } from './rules/display.ts'
export { isIllegalDistinctId, storableId } from './rules/distinct-ids.ts'
export { mergeRequest } from './rules/merge-rules.ts'
export { normalise } from './rules/normalise.ts'
export { personUuid } from './rules/person-uuid.ts'
export type { CohortPersonRow, IdentifiedEvent, IdentityEvent, IdentityOutcome } from './rules/types.ts'
export { groupPropertyNames, groupPropertyValues } from './store/group-properties.ts'
export {
  findPerson,
  findPersonByDistinctId,
  lastSeen,
  looksLikePersonId,
  type Person,
  type PersonRecord,
  personColumns,
  personOf,
  personsByDistinctIds,
  personsByUuid,
} from './store/persons.ts'
export { findGroup, type Group, type GroupCursor, listGroups, listGroupTypes } from './store/read-groups.ts'
export { resolveIdentities } from './store/resolve.ts'
export { joinCohort, leaveCohort } from './store/static-cohorts.ts'
