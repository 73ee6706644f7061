import { onTestFinished } from 'vitest'
import { type JetstreamLogOptions, openJetstreamLog, openJetstreamReader } from '../../src/log/jetstream/index.ts'
import type { TestNats } from './nats.ts'

const partitions = ['a', 'b']

/** A writer of a log with partitions a and b, closed after the test. */
export async function openWriter({ url }: TestNats, options: Partial<JetstreamLogOptions> = {}) {
  const writer = await openJetstreamLog({ url, partitions, ...options })
  onTestFinished(() => writer.close())
  return writer
}

/** A reader of the same log, closed after the test. */
export async function openReader({ url }: TestNats) {
  const reader = await openJetstreamReader({ kind: 'jetstream', url, partitions })
  onTestFinished(() => reader.close())
  return reader
}
