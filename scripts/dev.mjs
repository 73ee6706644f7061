// `npm run dev`: the service and the web app from their sources. A change in web/ is shown at once; a change in src/
// rebuilds and restarts the service. Ctrl-C stops both. Arguments go to the service: `npm run dev -- --port 9000 --data
// ./dev-data`. With FOOTFALL_URL set, no service is started: the web app talks to the one that runs there.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createServer } from 'vite'
import { installIfNeeded, root } from './prepare.mjs'

/** Editors write several files for one change. */
const SETTLE_MS = 150
const READY_WITHIN_MS = 60_000

installIfNeeded()
const args = process.argv.slice(2)
const { values } = parseArgs({ args, strict: false, options: { port: { type: 'string' }, host: { type: 'string' } } })
const host = values.host ?? process.env.FOOTFALL_HOST ?? '127.0.0.1'
const port = values.port ?? process.env.FOOTFALL_PORT ?? '8000'
const elsewhere = process.env.FOOTFALL_URL
const serviceUrl = elsewhere ?? `http://${host}:${port}`
process.env.FOOTFALL_URL = serviceUrl

const say = (text) => console.error(`[dev] ${text}`)

let service = null
let stopping = false

/** Pending while the service is built and started: pages that ask meanwhile wait instead of failing. */
let restarted = Promise.resolve()

const web = await createServer({
  configFile: path.join(root, 'web', 'vite.config.ts'),
  plugins: [
    { name: 'wait-for-the-service', configureServer: ({ middlewares }) => void middlewares.use(waitForService) },
  ],
})
await web.listen()
const webUrl = web.resolvedUrls?.local[0] ?? 'http://localhost:5173/'
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop)

if (elsewhere === undefined) {
  restarted = restart()
  await restarted
  watchSources()
}
say(`pages, with every change of web/ at once: ${webUrl}`)
say(`API and capture: ${serviceUrl}${elsewhere === undefined ? ', restarted with every change of src/' : ''}`)
say('Ctrl-C stops everything.')

/** Builds first: while the sources do not compile, the service that runs stays. */
async function restart() {
  const since = Date.now()
  const [code] = await once(
    spawn(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: ['ignore', 2, 2] }),
    'exit',
  )
  if (stopping) return
  if (code !== 0) return say('the build failed; the service stays as it was until the next change')
  await stopService()
  if (stopping) return
  service = spawn(process.execPath, ['dist/cli.js', 'serve', ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    // Links that the service prints and answers lead to the pages that reload.
    env: {
      ...process.env,
      FOOTFALL_URL: undefined,
      FOOTFALL_PUBLIC_URL: process.env.FOOTFALL_PUBLIC_URL ?? webUrl.replace(/\/$/, ''),
    },
  })
  const started = service
  started.once('exit', (status, signal) => {
    if (service === started) service = null
    if (!stopping && started.askedToStop !== true)
      say(`the service ended (${signal ?? `status ${status}`}); it is started again with the next change`)
  })
  if (await ready(started)) say(`the service is ready after ${((Date.now() - since) / 1000).toFixed(1)} s`)
}

async function ready(started) {
  for (const end = Date.now() + READY_WITHIN_MS; Date.now() < end && service === started; await delay(100)) {
    const answer = await fetch(`${serviceUrl}/_ready`).catch(() => null)
    if (answer?.ok) return true
  }
  return false
}

async function stopService() {
  const running = service
  if (running === null) return
  running.askedToStop = true
  const gone = once(running, 'exit')
  running.kill('SIGTERM')
  await gone
}

/** One restart at a time; what changes meanwhile causes one more. */
function watchSources() {
  let changed = null
  let working = false
  const work = async () => {
    if (working || stopping) return
    working = true
    while (changed !== null && !stopping) {
      await delay(SETTLE_MS)
      say(`${changed} changed`)
      changed = null
      restarted = restart()
      await restarted
    }
    working = false
  }
  const src = path.join(root, 'src')
  // Vite's watcher, which also sees files that an editor replaces.
  web.watcher.add(src)
  web.watcher.on('all', (_event, file) => {
    if (!file.startsWith(src + path.sep) || !/\.(ts|sql)$/.test(file) || file.endsWith('.test.ts')) return
    changed = path.relative(root, file)
    void work()
  })
}

function waitForService(request, _response, next) {
  if (request.url.startsWith('/api/')) void restarted.finally(() => next())
  else next()
}

async function stop() {
  stopping = true
  say('stopping')
  await Promise.all([web.close(), stopService()])
  process.exit(0)
}
