export { type Deletion, deletionRecord, listDeletions, requestDeletion } from './deletions/queue.ts'
export { type DeletionRun, runDeletionsNow } from './deletions/run.ts'
export { type JobsContext, startJobs } from './jobs.ts'
export type { Schedule } from './schedule.ts'
