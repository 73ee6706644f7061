export { DemoLoader, type DemoProgress } from './load.ts'
export { recordings } from './recording.ts'
export { sendRecordings, sendStory } from './send.ts'
export { story } from './story.ts'
