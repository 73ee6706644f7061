import { onTestFinished } from 'vitest'
import { type JetstreamLogOptions, openJetstreamLog, openJetstreamReader } from '../../src/log/jetstream/index.ts'
import type { JetstreamReaderOptions } from '../../src/log/jetstream/reader.ts'
import type { TestNats } from './nats.ts'

/** For a reader: one read brings all there is, on a busy machine too. */
export const PATIENT = { bringWithinMs: 60_000 }

const partitions = ['a', 'b']

/** A writer of a log with partitions a and b, closed after the test. */
export async function openWriter({ url }: TestNats, options: Partial<JetstreamLogOptions> = {}) {
  const writer = await openJetstreamLog({ url, partitions, ...options })
  onTestFinished(() => writer.close())
  return writer
}

/** A reader of the same log, closed after the test. */
export async function openReader({ url }: TestNats, options: JetstreamReaderOptions = {}) {
  const reader = await openJetstreamReader({ kind: 'jetstream', url, partitions }, options)
  onTestFinished(() => reader.close())
  return reader
}
