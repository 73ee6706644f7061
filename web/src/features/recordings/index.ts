export { askedOf } from './question.ts'
export { RecordingList, recordingName } from './recording-list.tsx'
export { ShareDialog } from './share-dialog.tsx'
export { snapshotsOf } from './snapshots.ts'
