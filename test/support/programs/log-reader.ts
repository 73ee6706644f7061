// Reads one partition of a log until it has seen a number of records, releases what it has read, and posts the payloads.
import { parentPort, workerData } from 'node:worker_threads'
import { openSegmentReader } from '../../../src/log/index.ts'

const { handle, partition, total } = workerData
const reader = openSegmentReader(handle)
const found: string[] = []
const never = new AbortController()
for (let from = 0; found.length < total; ) {
  await reader.wait(partition, from, never.signal)
  const range = await reader.read(partition, from, { bytes: 4_000, records: 50 })
  for (const { payload } of range.records) found.push(payload.toString())
  from = range.next
  await reader.release(partition, from)
}
await reader.close()
parentPort?.postMessage(found)
