export { API_LANE, type CopiedRows, changeAndCopy } from './change-and-copy.ts'
export { patchPersonProperties } from './change-persons.ts'
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
  propertyShares,
  propertyTypes,
  propertyValues,
} from './definitions/index.ts'
export { type DeletedPerson, deletePersons, type PersonChoice } from './delete-persons.ts'
export { personName } from './display.ts'
export { isIllegalDistinctId, storableId } from './distinct-ids.ts'
export { foldOverrides } from './fold-overrides.ts'
export { groupPropertyNames, groupPropertyValues } from './group-properties.ts'
export { importGroups, importGroupTypes } from './import-groups.ts'
export { importPersonProperties, importPersons } from './import-persons.ts'
export { mergeRequest } from './merge-rules.ts'
export { normalise } from './normalise.ts'
export { personUuid } from './person-uuid.ts'
export {
  findPerson,
  looksLikePersonId,
  type Person,
  type PersonRecord,
  personColumns,
  personOf,
  personsByDistinctIds,
  personsByUuid,
} from './persons.ts'
export { findGroup, type Group, type GroupCursor, listGroups, listGroupTypes } from './read-groups.ts'
export { resolveIdentities } from './resolve.ts'
export { splitPerson } from './split-person.ts'
export { joinCohort, leaveCohort } from './static-cohorts.ts'
export type { CohortPersonRow, IdentifiedEvent, IdentityEvent, IdentityOutcome } from './types.ts'
