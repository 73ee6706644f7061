import { expect, it } from 'vitest'
import type { LiveBatch } from '../pipeline/index.ts'
import { LiveHub } from './hub.ts'

const batch = (project: number): LiveBatch => ({ project, stored: 1, warned: 0, samples: [] })

it('the pipeline hears of a project when its first watcher comes and its last one leaves', () => {
  const told: (readonly number[])[] = []
  const hub = new LiveHub((projects) => told.push(projects))
  const watcher = () => ({ batch: () => {}, end: () => {} })
  const first = hub.watch(1, watcher())
  const second = hub.watch(1, watcher())
  first()
  first()
  expect(hub.size).toBe(1)
  second()
  expect(told).toEqual([[1], []])
})

it('a batch reaches the watchers of its project only, and closing ends them all', () => {
  const hub = new LiveHub(() => {})
  const seen: string[] = []
  hub.watch(1, { batch: () => seen.push('one'), end: () => seen.push('end one') })
  hub.watch(2, { batch: () => seen.push('two'), end: () => seen.push('end two') })
  hub.publish([batch(1)])
  hub.close()
  expect(seen).toEqual(['one', 'end one', 'end two'])
})
