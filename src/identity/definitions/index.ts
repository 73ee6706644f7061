export { changeNotes, type Notes } from './notes.ts'
export {
  type EventDefinition,
  listEventDefinitions,
  listPropertyDefinitions,
  type PropertyDefinition,
  propertyTypes,
  propertyValues,
} from './read.ts'
export { DefinitionRecorder, type NotedBatch } from './recorder.ts'
export { propertyShares } from './shares.ts'
