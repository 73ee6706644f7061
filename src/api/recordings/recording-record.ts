import { personsByDistinctIds } from '../../identity/index.ts'
import {
  type FoundRecordings,
  findRecordings,
  type Recording,
  type RecordingsContext,
  type RecordingsQuestion,
  viewsOf,
} from '../../recordings/index.ts'
import type { ProjectCall } from '../frame/context.ts'
import { only } from '../frame/only.ts'
import { insightContext } from '../insights/insight-question.ts'
import { embeddedPerson } from '../persons/person-record.ts'

type Asker = Pick<ProjectCall, 'sql' | 'clickhouse' | 'project' | 'now' | 'signal'> & {
  readonly caller: { readonly user: { readonly id: number } } | null
}

export const recordingsContext = async (call: Asker): Promise<RecordingsContext> => ({
  sql: call.sql,
  insight: await insightContext(call),
  retentionDays: call.project.recording_retention_days,
  userId: call.caller?.user.id ?? null,
  signal: call.signal,
})

/** The answer of every list of recordings. */
export async function answerRecordings(call: Asker, question: RecordingsQuestion) {
  return recordingsAnswer(call, await findRecordings(await recordingsContext(call), question))
}

async function recordingsAnswer(call: Asker, { recordings, hasNext }: FoundRecordings) {
  return { results: await recordingRecords(call, recordings), has_next: hasNext, version: 4 as const }
}

export const recordingRecord = async (call: Asker, recording: Recording) =>
  only(await recordingRecords(call, [recording]))

async function recordingRecords({ sql, project, caller }: Asker, recordings: readonly Recording[]) {
  const ids = [...new Set(recordings.map(({ distinct_id }) => distinct_id))]
  const persons = await personsByDistinctIds(sql, project.id, ids)
  const sessionIds = recordings.map(({ session_id }) => session_id)
  const views = await viewsOf(sql, project.id, sessionIds, caller?.user.id ?? null)
  return recordings.map(({ session_id, distinct_id, lib, ...recording }) => {
    const person = persons.get(distinct_id)
    return {
      id: session_id,
      distinct_id,
      ...views(session_id),
      ...recording,
      person: person ? embeddedPerson(person, project) : null,
      snapshot_library: lib,
    }
  })
}
