import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compiledForTests } from '../../scripts/prepare.mjs'
import { entryPoint } from '../../src/lib/entry-point.ts'
import { CLI } from './service.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const inSource = (relative: `./${string}.ts`) => entryPoint(new URL('../../src/x.ts', import.meta.url).href, relative)

let checkout: string
beforeAll(() => {
  checkout = mkdtempSync(path.join(os.tmpdir(), 'footfall-checkout-'))
  mkdirSync(path.join(checkout, 'src', 'migrations'), { recursive: true })
  cpSync(path.join(ROOT, 'package-lock.json'), path.join(checkout, 'package-lock.json'))
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(checkout, 'node_modules'))
  write('package.json', '{ "type": "module" }')
  write('src/migrations/001_one.sql', 'SELECT 1;')
})
afterAll(() => rmSync(checkout, { recursive: true, force: true }))

const write = (name: string, text: string) => writeFileSync(path.join(checkout, name), text)
const program = (answer: string) => `const answer: string = '${answer}'\nconsole.log(answer)\n`
const answerOf = (folder: string) =>
  execFileSync(process.execPath, [path.join(folder, 'program.js')], { encoding: 'utf8' }).trim()

it('what a test starts is compiled from the sources of that moment, also after a change during the run', () => {
  write('src/program.ts', program('before'))
  const before = compiledForTests(checkout)
  expect(compiledForTests(checkout)).toBe(before)

  write('src/program.ts', program('after'))
  const after = compiledForTests(checkout)
  expect(after).not.toBe(before)
  expect(answerOf(after)).toBe('after')
  // Whoever started before the change keeps what it started with.
  expect(answerOf(before)).toBe('before')

  write('src/program.ts', program('before'))
  expect(compiledForTests(checkout)).toBe(before)
})

it('changed SQL counts, a changed test does not', () => {
  write('src/program.ts', program('before'))
  const before = compiledForTests(checkout)
  write('src/program.test.ts', '// a test')
  expect(compiledForTests(checkout)).toBe(before)
  write('src/migrations/001_one.sql', 'SELECT 2;')
  const after = compiledForTests(checkout)
  expect(readFileSync(path.join(after, 'migrations', '001_one.sql'), 'utf8')).toBe('SELECT 2;')
})

it('a command can be run by its name after every build, as npx does', () => {
  write('src/command.ts', `#!/usr/bin/env node\n${program('first')}`)
  const run = () => execFileSync(path.join(compiledForTests(checkout), 'command.js'), { encoding: 'utf8' }).trim()
  expect(run()).toBe('first')
  write('src/command.ts', `#!/usr/bin/env node\n${program('second')}`)
  expect(run()).toBe('second')
})

it('services, engine children and threads under test all run from that folder', () => {
  const folder = compiledForTests()
  expect(process.env.TEST_COMPILED).toBe(folder)
  expect(CLI).toBe(path.join(folder, 'cli.js'))
  expect(inSource('./pipeline/thread-main.ts')).toBe(path.join(folder, 'pipeline', 'thread-main.js'))
  expect(inSource('./engines/clickhouse/embedded/child.ts')).toBe(
    path.join(folder, 'engines', 'clickhouse', 'embedded', 'child.js'),
  )
})

it('a thread sees where its code is, too', async () => {
  const thread = new Worker('require("node:worker_threads").parentPort.postMessage(process.env.TEST_COMPILED)', {
    eval: true,
  })
  const seen = await new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject))
  expect(seen).toBe(compiledForTests())
})
