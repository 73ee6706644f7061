import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { ClickHouse } from '../../engines/clickhouse/index.ts'
import type { Sql } from '../../engines/postgres/index.ts'
import { type OpenedRecording, openRecording, type ProjectWarning, type WarningType } from '../../events/index.ts'
import type { LogRange, LogRecord } from '../../log/index.ts'
import { type AcceptedUpload, acceptUpload, deletedAmong, storedUploads, uploadKey } from '../../recordings/index.ts'
import { type DeadLetter, unreadableRecord } from '../shared/dead-letters.ts'
import type { projectSettings } from '../shared/project-settings.ts'
import type { ProjectSettings } from '../steps/step.ts'

/** The uploads of a fixed range of the log, while they are processed. */
export interface RecordingBatch {
  readonly range: LogRange
  readonly projects: ReadonlyMap<number, ProjectSettings>
  uploads: AcceptedUpload[]
  readonly warnings: ProjectWarning[]
  readonly deadLetters: DeadLetter[]
}

/** Decodes a range. A bad upload costs only itself. Between two uploads other work of this thread gets a turn. */
export async function openRecordings(
  range: LogRange,
  settings: ReturnType<typeof projectSettings>,
): Promise<RecordingBatch> {
  const deadLetters: DeadLetter[] = []
  const decoded = range.records.flatMap((record) => {
    try {
      return [{ record, recording: openRecording(record.payload) }]
    } catch (error) {
      deadLetters.push(unreadableRecord(record, error))
      return []
    }
  })
  const projects = await settings(decoded.map(({ recording }) => recording.head.project))
  const batch: RecordingBatch = { range, projects, uploads: [], warnings: [], deadLetters }
  for (const { record, recording } of decoded) {
    addUpload(batch, record, recording)
    await yieldToOthers()
  }
  return batch
}

function addUpload(batch: RecordingBatch, record: LogRecord, recording: OpenedRecording): void {
  const project = batch.projects.get(recording.head.project)
  if (!project) {
    const letter = unreadableRecord(record, 'the project no longer exists')
    batch.deadLetters.push({ ...letter, project: recording.head.project, reason: 'unknown_project' })
    return
  }
  try {
    const upload = acceptUpload(recording, record.position, project.recordingRetentionDays)
    batch.uploads.push(upload)
    for (const warning of upload.warnings)
      batch.warnings.push({ ...warning, project: upload.project, at: upload.receivedAt })
  } catch (error) {
    batch.deadLetters.push({ ...unreadableRecord(record, error), project: project.id })
  }
}

/** Drops uploads that a client sent again, and those of deleted recordings. */
export async function dropUnwanted(
  batch: RecordingBatch,
  { sql, clickhouse }: { readonly sql: Sql; readonly clickhouse: ClickHouse },
): Promise<void> {
  const deleted = await deletedAmong(sql, batch.uploads)
  const seen = await storedUploads(clickhouse, batch.uploads, batch.range.from)
  batch.uploads = batch.uploads.filter((upload) => {
    const key = uploadKey(upload)
    if (deleted.has(`${upload.project} ${upload.sessionId}`)) warn(batch, upload, 'recording_was_deleted')
    else if (seen.has(key)) warn(batch, upload, 'recording_sent_again')
    else {
      seen.add(key)
      return true
    }
    return false
  })
}

function warn(
  batch: RecordingBatch,
  { project, receivedAt, distinctId, sessionId }: AcceptedUpload,
  type: WarningType,
): void {
  const details = { session_id: sessionId }
  batch.warnings.push({ type, event: '$snapshot', distinctId, uuid: null, details, project, at: receivedAt })
}
