import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { contents, logFolder } from '../../../test/support/log-folder.ts'
import { testProgram } from '../../../test/support/test-program.ts'
import { openSegmentLog } from './open.ts'

/**
 * Lets a child write until it has acknowledged some appends, kills it in the middle of its work, and returns what it
 * acknowledged.
 */
async function writeAndKill(dir: string, first: number, acknowledgements: number): Promise<number[]> {
  const child = spawn(process.execPath, [testProgram('log-writer'), dir, String(first), '200000'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  let output = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    output += chunk
    if (!child.killed && output.split('\n').length > acknowledgements) child.kill('SIGKILL')
  }
  await ended
  return output.split('\n').slice(0, -1).map(Number)
}

test('kill -9 in the middle of writing loses nothing that was acknowledged, doubles nothing and tears no append apart', async () => {
  const dir = await logFolder()
  const acknowledged: number[] = []
  for (let round = 0; round < 8; round++) {
    acknowledged.push(...(await writeAndKill(dir, (round + 1) * 1_000_000, 50 + round * 37)))
    const log = await openSegmentLog({ dir, partitions: ['a', 'b'], reserveBytes: 0 })
    const a = await contents(log, 'a')
    expect(await contents(log, 'b')).toEqual(a)
    await log.close()
    const numbers = a.map((text) => Number(text.slice(0, text.indexOf(' '))))
    expect(new Set(numbers).size).toBe(numbers.length)
    const found = new Set(numbers)
    expect(acknowledged.filter((number) => !found.has(number))).toEqual([])
    // At most the eight appends that were under way may be there without an acknowledgement.
    expect(numbers.length - acknowledged.length).toBeLessThanOrEqual(8 * (round + 1))
  }
  expect(acknowledged.length).toBeGreaterThan(8 * 50)
})
