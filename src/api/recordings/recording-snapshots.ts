import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import { snapshotsQuerySchema } from '../../contract/resources/recording.ts'
import type { ClickHouse } from '../../engines/clickhouse/index.ts'
import { stringifyJson } from '../../lib/json.ts'
import { type SnapshotsQuestion, snapshotLines } from '../../recordings/index.ts'
import { streamOf } from '../frame/answer.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { recordingRecord } from './recording-record.ts'
import { recordingOf } from './recordings.ts'

export function addRecordingSnapshotRoutes(routes: ApiRoutes): void {
  routes.addToProject('session_recordings/:session_recording_id/snapshots/', {
    GET: projectEndpoint({
      summary: 'The rrweb events of a recording as lines of JSON, in order of time',
      scope: 'session_recording:read',
      rate: 'heavy',
      query: snapshotsQuerySchema,
      answer: streamOf('application/x-ndjson', 'application/json'),
      handle: async (call) => {
        const { session_id } = await recordingOf(call)
        return sendSnapshots(call, { project: call.project.id, sessionId: session_id, ...partOf(call.query) })
      },
    }),
  })
  routes.addToProject('session_recordings/:session_recording_id/export/', {
    GET: projectEndpoint({
      summary: 'A recording as one JSON file, which rrweb-player plays',
      scope: 'session_recording:read',
      rate: 'heavy',
      answer: streamOf('application/json'),
      handle: async (call) => {
        const recording = await recordingOf(call)
        const about = stringifyJson({ version: 1, recording: await recordingRecord(call, recording) })
        const asked = { project: call.project.id, sessionId: recording.session_id }
        call.reply
          .type('application/json; charset=utf-8')
          .header('content-disposition', `attachment; filename="recording-${recording.session_id}.json"`)
        const lines = jsonArray(snapshotLines(call.clickhouse, asked, call.signal))
        return call.reply.send(Readable.from(wrapped(`${about.slice(0, -1)},"events":`, lines, '}')))
      },
    }),
  })
}

export const partOf = ({ start, end, window_id }: z.output<typeof snapshotsQuerySchema>) => ({
  start,
  end,
  windowId: window_id,
})

/** Streams lines as they are read, so that memory holds a page of them whatever the length of the recording. */
export function sendSnapshots(
  {
    clickhouse,
    reply,
    signal,
    query,
  }: {
    readonly clickhouse: ClickHouse
    readonly reply: FastifyReply
    readonly signal: AbortSignal
    readonly query: z.output<typeof snapshotsQuerySchema>
  },
  asked: SnapshotsQuestion,
): FastifyReply {
  const lines = snapshotLines(clickhouse, asked, signal)
  const asArray = query.array !== undefined && query.array !== 'false'
  reply.type(asArray ? 'application/json; charset=utf-8' : 'application/x-ndjson; charset=utf-8')
  return reply.send(Readable.from(asArray ? jsonArray(lines) : jsonLines(lines)))
}

async function* jsonLines(pages: AsyncIterable<string[]>): AsyncGenerator<string> {
  for await (const lines of pages) yield `${lines.join('\n')}\n`
}

async function* jsonArray(pages: AsyncIterable<string[]>): AsyncGenerator<string> {
  let before = '['
  for await (const lines of pages) {
    yield `${before}${lines.join(',\n')}`
    before = ',\n'
  }
  yield before === '[' ? '[]' : ']'
}

async function* wrapped(head: string, body: AsyncIterable<string>, tail: string): AsyncGenerator<string> {
  yield head
  yield* body
  yield tail
}
