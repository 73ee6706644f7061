export { type PipelineThread, startPipelineThread } from './thread.ts'
