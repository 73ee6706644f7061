export { deletionRecord, listDeletions, requestDeletion } from './deletions/queue.ts'
export { runDeletionsNow } from './deletions/run.ts'
export { startJobs } from './jobs.ts'
