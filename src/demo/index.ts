export type { DemoEvent } from './journey.ts'
export { type DemoRecording, recordings } from './recording.ts'
export { sendRecordings, sendStory } from './send.ts'
export { DEMO_DAYS, story } from './story.ts'
