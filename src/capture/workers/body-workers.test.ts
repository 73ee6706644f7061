import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { KEY, PROJECT } from '../../../test/support/capture-server.ts'
import type { Client } from '../../lib/held-back.ts'
import { BodyWorkers, type Job } from './body-workers.ts'

const job = (body: string, findProject: Job['findProject'] = async () => PROJECT): Job => ({
  from: { owner: '1', sender: 'x' },
  meta: {
    query: '',
    contentEncoding: undefined,
    userAgent: undefined,
    ip: null,
    receivedAt: Date.now(),
    livePartitions: 2,
    engage: false,
  },
  blocks: inBlocks(Buffer.from(body)),
  findProject,
})
const inBlocks = (body: Buffer) => [body.subarray(0, 10), body.subarray(10)]
const EVENT = JSON.stringify({ api_key: KEY, event: 'a', distinct_id: 'u' })

let workers: BodyWorkers
let crashing: string
let dawdling: string
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'footfall-workers-'))
  crashing = path.join(folder, 'crashing.mjs')
  await writeFile(
    crashing,
    `import { parentPort } from 'node:worker_threads'
     parentPort.on('message', ({ type }) => { if (type === 'open') parentPort.postMessage({ type: 'key', key: 'k' }); else throw new Error('crash') })`,
  )
  dawdling = path.join(folder, 'dawdling.mjs')
  await writeFile(
    dawdling,
    `import { parentPort } from 'node:worker_threads'
     let slow = false
     parentPort.on('message', (message) => {
       if (message.type === 'open') {
         slow = Buffer.concat(message.blocks).toString().startsWith('"slow"')
         parentPort.postMessage({ type: 'key', key: 'k' })
       } else if (!slow) parentPort.postMessage({ type: 'done', records: { entries: [], events: 1, recordings: 0, warnings: [] } })
     })`,
  )
  return () => rm(folder, { recursive: true })
})
afterEach(() => workers.close())

test('visitors who asked not to be tracked are refused in a thread as well', async () => {
  workers = new BodyWorkers({ threads: 1 })
  const events = async (honorDoNotTrack: boolean) => {
    const asked = job(EVENT, async () => ({ ...PROJECT, honorDoNotTrack }))
    return (await workers.run({ ...asked, meta: { ...asked.meta, asksNot: true } })).records.events
  }
  expect([await events(true), await events(false)]).toEqual([0, 1])
})

test('many jobs on few threads are all done', async () => {
  workers = new BodyWorkers({ threads: 2 })
  const keys: string[] = []
  const taken = await Promise.all(
    Array.from({ length: 20 }, () =>
      workers.run(
        job(EVENT, async (key) => {
          keys.push(key)
          return PROJECT
        }),
      ),
    ),
  )
  expect(taken.map(({ records, project }) => [records.events, project.id])).toEqual(Array(20).fill([1, PROJECT.id]))
  expect(keys).toEqual(Array(20).fill(KEY))
})

test('a job whose project is not found fails, and the thread takes the next', async () => {
  workers = new BodyWorkers({ threads: 1 })
  await expect(workers.run(job(EVENT, () => Promise.reject(new Error('nobody'))))).rejects.toThrow('nobody')
  expect((await workers.run(job(EVENT))).records.events).toBe(1)
})

test('a full queue refuses', async () => {
  workers = new BodyWorkers({ threads: 1, queuedJobs: 1 })
  let letGo = () => {}
  const held = new Promise<void>((done) => {
    letGo = done
  })
  const first = workers.run(job(EVENT, () => held.then(() => PROJECT)))
  const second = workers.run(job(EVENT))
  await expect(workers.run(job(EVENT))).rejects.toMatchObject({ code: 'overloaded', status: 503 })
  letGo()
  expect((await Promise.all([first, second])).map(({ records }) => records.events)).toEqual([1, 1])
})

test('who has no thread while others have all gets one of its own, and a full queue makes room for it', async () => {
  const heldBack: unknown[] = []
  const onHeldBack = (reason: string, { project }: Client) => heldBack.push([reason, project])
  workers = new BodyWorkers({ threads: 1, queuedJobs: 2, onHeldBack })
  let letGo = () => {}
  const held = new Promise<void>((done) => {
    letGo = done
  })
  const many = [1, 2, 3].map(() => workers.run(job(EVENT, () => held.then(() => PROJECT))))
  const outcomes = Promise.allSettled(many)
  const other = { ...job(EVENT), from: { owner: '2', sender: 'y' } }
  expect((await workers.run(other)).records.events).toBe(1)
  letGo()
  expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  expect(heldBack).toEqual([['queue', 1]])
})

test('a thread that crashes fails its own job only', async () => {
  workers = new BodyWorkers({ threads: 1, program: crashing })
  const outcomes = await Promise.allSettled([workers.run(job(EVENT)), workers.run(job(EVENT))])
  for (const outcome of outcomes)
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'unavailable', status: 503 } })
})

// From Node 22 on the whole process may end when a thread runs out of memory: there the limits on values and containers
// have to hold.
const NODE = Number.parseInt(process.versions.node, 10)
test.runIf(NODE < 22)(
  'on Node 20 a body that needs more memory than a thread has is too large, and the next one is served',
  async () => {
    workers = new BodyWorkers({ threads: 1, heapMb: 48 })
    const greedy = `[${'{},'.repeat(3_000_000)}{}]`
    await expect(workers.run(job(greedy))).rejects.toMatchObject({ code: 'body_too_large', status: 413 })
    expect((await workers.run(job(EVENT))).records.events).toBe(1)
  },
)

test('a body that takes a thread too long is too large, and the next one is served', async () => {
  workers = new BodyWorkers({ threads: 1, jobMs: 500, program: dawdling })
  await expect(workers.run(job(`"slow"${EVENT}`))).rejects.toMatchObject({ code: 'body_too_large', status: 413 })
  // On a busy machine the new thread itself may take longer than a job may.
  const next = () =>
    workers.run(job(EVENT)).then(
      ({ records }) => records.events,
      (error: { code: string }) => error.code,
    )
  await expect.poll(next).toBe(1)
})

test('closed workers refuse', async () => {
  workers = new BodyWorkers()
  await workers.close()
  await expect(workers.run(job(EVENT))).rejects.toMatchObject({ status: 503 })
})
