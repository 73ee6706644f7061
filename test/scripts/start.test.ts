import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const PACKAGE = new URL('../../package.json', import.meta.url)

/** In place of the service: says that it runs, and on SIGTERM that it stops. Ends by itself when it is left behind. */
const PROGRAM = `
process.on('SIGTERM', () => { console.log('stopped'); process.exit(0) })
setTimeout(() => process.exit(1), 20_000)
console.log('running')
`

it('SIGTERM to `npm start` reaches the service, and npm ends after it with its exit code', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'npm-start-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const { scripts } = JSON.parse(await readFile(PACKAGE, 'utf8'))
  const command = scripts.start.replace('scripts/start.mjs', 'program.mjs')
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ scripts: { start: command } }))
  await writeFile(path.join(folder, 'program.mjs'), PROGRAM)

  const npm = spawn('npm', ['start', '--no-update-notifier'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(npm, 'close')
  let said = ''
  npm.stdout.on('data', (more) => {
    said += more
    if (said.endsWith('running\n')) npm.kill('SIGTERM')
  })

  expect((await ended)[0]).toBe(0)
  expect(said).toMatch(/running\nstopped\n$/)
})
