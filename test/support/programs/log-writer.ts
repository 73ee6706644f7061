// Appends numbered records to a log as fast as it can and prints the number of each append that was acknowledged.
import { writeSync } from 'node:fs'
import { openSegmentLog } from '../../../src/log/index.ts'

const [dir = '', first, segmentBytes] = process.argv.slice(2)
const log = await openSegmentLog({ dir, partitions: ['a', 'b'], reserveBytes: 0, segmentBytes: Number(segmentBytes) })
let next = Number(first)
const client = async () => {
  for (;;) {
    const number = next++
    const payload = Buffer.from(`${number} ${'x'.repeat((number * 7919) % 3000)}`)
    await log.append([
      { partition: 'a', payload },
      { partition: 'b', payload },
    ])
    writeSync(1, `${number}\n`)
  }
}
await Promise.all(Array.from({ length: 8 }, client))
