import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { runCommand } from './index.ts'

/** What a command says before it needs a service. */
describe('the command line', () => {
  let empty: string
  const said: string[] = []
  beforeAll(async () => {
    empty = await mkdtemp(path.join(os.tmpdir(), 'footfall-cli-'))
  })
  afterAll(() => rm(empty, { recursive: true, force: true }))
  beforeEach(() => {
    // Some commands lower the priority of their process, which is the one of all tests here.
    vi.spyOn(os, 'setPriority').mockReturnValue()
    for (const stream of ['log', 'error'] as const)
      vi.spyOn(console, stream).mockImplementation((text: string) => {
        said.push(text)
      })
  })
  afterEach(() => {
    vi.restoreAllMocks()
    said.length = 0
  })

  it.each([
    ['backup', 2, 'name one folder'],
    ['backup a b', 2, 'name one folder'],
    ['restore', 2, 'name one folder'],
    ['restore /nowhere', 1, '/nowhere is not a backup, or one that was not finished'],
    ['import', 2, 'name one file, or - for standard input'],
    ['import /nowhere.jsonl', 1, 'there is no file /nowhere.jsonl'],
    ['import /tmp', 1, '/tmp is a folder'],
    ['import x --project one', 2, '--project takes the number of a project'],
    ['export --format csv', 2, '--format can only be jsonl'],
    ['export --from yesterday', 2, '--from takes a time such as'],
    ['export events.jsonl', 2, 'name the file with --out'],
    ['export', 1, 'no service is running on'],
    ['backup saved', 1, 'no service is running on'],
  ])('%s ends with %i', async (line, code, words) => {
    expect(await runCommand([...line.split(' '), '--data', path.join(empty, 'data')])).toBe(code)
    expect(said.join('\n')).toContain(words)
  })

  it.each(['backup', 'restore', 'import', 'export'])('explains %s', async (name) => {
    expect(await runCommand([name, '--help'])).toBe(0)
    expect(said.join('\n')).toMatch(new RegExp(`^Usage: footfall ${name} .*\\n\\n\\w`))
  })
})
