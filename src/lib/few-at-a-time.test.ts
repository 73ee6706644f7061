import { expect, test } from 'vitest'
import { fewAtATime } from './few-at-a-time.ts'

/** Work that ends when it is told to. */
function heldWork() {
  const running = new Map<string, { done: () => void; fail: () => void }>()
  const work = (item: string) =>
    new Promise<string>((done, failed) => {
      const over = (end: () => void) => () => {
        running.delete(item)
        end()
      }
      running.set(item, { done: over(() => done(item.toUpperCase())), fail: over(() => failed(new Error(item))) })
    })
  const settled = () => new Promise((later) => setImmediate(later))
  return { running, work, settled }
}

test('as many run as may, and results have the order of the items, whichever ends first', async () => {
  const { running, work, settled } = heldWork()
  const all = fewAtATime(['a', 'b', 'c'], 2, work)
  expect([...running.keys()]).toEqual(['a', 'b'])
  running.get('b')?.done()
  await settled()
  expect([...running.keys()]).toEqual(['a', 'c'])
  running.get('c')?.done()
  running.get('a')?.done()
  expect(await all).toEqual(['A', 'B', 'C'])
  expect(await fewAtATime([], 2, work)).toEqual([])
})

test('after a failure none is begun, and those that run are waited for', async () => {
  const { running, work, settled } = heldWork()
  let isOver = false
  const all = fewAtATime(['a', 'b', 'c'], 2, work).finally(() => {
    isOver = true
  })
  const refused = expect(all).rejects.toThrow('a')
  running.get('a')?.fail()
  await settled()
  expect({ running: [...running.keys()], isOver }).toEqual({ running: ['b'], isOver: false })
  running.get('b')?.done()
  await refused
})
