export type { LiveBatch, LiveSample } from './live-samples.ts'
export { type PipelineThread, startPipelineThread } from './thread.ts'
