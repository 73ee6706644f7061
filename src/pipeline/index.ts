export { applyDeferredUpdates } from './events/apply-deferred.ts'
export type { LiveBatch, LiveSample } from './live-samples.ts'
export type { PipelineThread } from './thread.ts'
export { startPipelineThreads } from './threads.ts'
