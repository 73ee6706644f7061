export type { PropertyType } from './guess-type.ts'
export { changeNotes, type NoteChanges, type Notes } from './notes.ts'
export {
  type EventDefinition,
  listEventDefinitions,
  listPropertyDefinitions,
  type Page,
  type PropertyDefinition,
  type PropertyListing,
  propertyTypes,
  propertyValues,
} from './read.ts'
export { DefinitionRecorder, type NotedBatch } from './recorder.ts'
export type { DefinitionEvent } from './tally.ts'
