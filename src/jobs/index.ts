export { type Deletion, deletionRecord, listDeletions, requestDeletion } from './deletions/queue.ts'
export { nextSundayAtFive } from './when.ts'
