export type { DemoEvent } from './journey.ts'
export { sendStory } from './send.ts'
export { DEMO_DAYS, story } from './story.ts'
