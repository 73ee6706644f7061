import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { entryPoint } from '../../src/lib/entry-point.ts'
import { clusterSettings, ON_CLUSTER } from './clickhouse.ts'
import { freePort } from './free-port.ts'
import { copyPreparedData } from './prepared-data.ts'
import { runningServices } from './running-services.ts'
import { drained } from './status.ts'

/**
 * The whole service as its users meet it: `footfall serve` in a process of its own, on a free port and a temporary data folder.
 * Start one in `beforeAll`, stop it in `afterAll`.
 */
export const KEYS = {
  /** Of the owner, who sees both projects. */
  all: 'phx_test_everything',
  persons: 'phx_test_person_write',
  personsRead: 'phx_test_person_read',
  insightsRead: 'phx_test_insight_read',
  playlists: 'phx_test_playlist_write',
  /** All scopes, but project 2 only. */
  projectTwo: 'phx_test_project_two',
  /** Of the second user. */
  colleague: 'phx_test_colleague',
} as const

export const TOKENS = { one: 'phc_test_one', two: 'phc_test_two' } as const
export const OWNER = { email: 'owner@example.com', password: 'correct horse battery' } as const
export const COLLEAGUE = { email: 'colleague@example.com', password: 'staple of a battery' } as const

export const PROVISION = {
  organization: { name: 'Acme' },
  projects: [
    { id: 1, name: 'One', api_token: TOKENS.one, timezone: 'UTC' },
    { id: 2, name: 'Two', api_token: TOKENS.two, timezone: 'UTC' },
  ],
  users: [
    {
      ...OWNER,
      first_name: 'Ada',
      last_name: 'Owner',
      role_at_organization: 'engineering',
      personal_api_keys: [
        { label: 'everything', value: KEYS.all, scopes: ['*'] },
        { label: 'persons', value: KEYS.persons, scopes: ['person:write'] },
        { label: 'persons read', value: KEYS.personsRead, scopes: ['person:read'] },
        { label: 'insights', value: KEYS.insightsRead, scopes: ['insight:read'] },
        { label: 'playlists', value: KEYS.playlists, scopes: ['session_recording_playlist:write'] },
        { label: 'two', value: KEYS.projectTwo, scopes: ['*'], scoped_projects: [2] },
      ],
    },
    {
      ...COLLEAGUE,
      first_name: 'Bob',
      personal_api_keys: [{ label: 'everything', value: KEYS.colleague, scopes: ['*'] }],
    },
  ],
}

/** JSON as it comes: a test says what it expects of it, not what it is. */
type Loose = ReturnType<typeof JSON.parse>

export interface Answer<T = Loose> {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; null when it is empty or something else. */
  readonly body: T
}

interface Ask {
  readonly method?: string
  /** A personal API key, the one with all scopes unless told; null for none. */
  readonly key?: string | null
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

export interface TestService {
  readonly url: string
  readonly data: string
  readonly pid: number
  /** What it wrote to stderr and stdout so far: for a test that fails. */
  output(): string
  /** Asks the management API. `path` starts with a slash; a path without one is of project 1. */
  api<T = Loose>(path: string, ask?: Ask): Promise<Answer<T>>
  /** Sends events as one batch to project 1, or to the project of the token, and expects 200. */
  capture(events: Record<string, unknown> | Record<string, unknown>[], token?: string): Promise<void>
  /** Looks until it is there. It may take a while on a machine that is busy with other things. */
  waitFor<T>(look: () => Promise<T | undefined | null | false>, what?: string): Promise<T>
  /** Waits until all that was acknowledged is in every table: persons, events, their sessions and points, recordings. */
  stored(): Promise<void>
  /** A command of the command line, on this service. */
  cli(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }>
  /** SIGTERM, and removes the data folder. */
  stop(): Promise<void>
  /** SIGTERM; resolves with the exit code. The data stay. */
  terminate(): Promise<number | null>
  /** Ends the process as a power cut does. The data stay; `startTestService({ data })` starts on them again. */
  kill9(): Promise<void>
}

export interface TestServiceOptions {
  /** Instead of PROVISION; null for a first start without a file. */
  readonly provision?: unknown
  readonly env?: Record<string, string>
  /** A data folder that is already there. */
  readonly data?: string
  /** A first start: nothing is there yet, not even the folder. Else it starts on a copy of what one such start has left. */
  readonly first?: true
  /** Who runs it, when root runs the tests. Root unless told: it then becomes a user of its own. */
  readonly user?: number
  /** Nobody reads its standard output. */
  readonly unheard?: true
}

/** The command line, compiled from src/ as it is now. */
export const CLI = entryPoint(new URL('../../src/x.ts', import.meta.url).href, './cli.ts')
const START_WITHIN_MS = 600_000
const WAIT_MS = 300_000
const COMMAND_WITHIN_MS = 600_000

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'footfall-service-'))
  // Others may pass through, as in most places: when root runs the tests, the service becomes a user of its own.
  await chmod(folder, 0o711)
  return folder
}

/** A new data folder with what `fill` sent, which happens once in a run for all that ask for the same name. */
export async function prepareService(name: string, fill: (service: TestService) => Promise<void>): Promise<string> {
  const data = path.join(await newFolder(), 'data')
  await copyPreparedData(name, data, async (fresh) => {
    await copyPreparedData('service', fresh, startAndStop)
    await startAndStop(fresh, fill)
  })
  return data
}

export async function startTestService(given: TestServiceOptions = {}): Promise<TestService> {
  const options = ON_CLUSTER ? { ...given, env: { ...(await clusterSettings()), ...given.env } } : given
  const folder = options.data ? path.dirname(options.data) : await newFolder()
  const data = options.data ?? path.join(folder, 'data')
  const provision = options.provision === undefined ? PROVISION : options.provision
  const file = path.join(folder, 'provision.json')
  if (provision !== null) await writeFile(file, JSON.stringify(provision))
  if (isLikeAnyOther(given)) await copyPreparedData('service', data, startAndStop)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = {
    ...process.env,
    FOOTFALL_HOST: '127.0.0.1',
    FOOTFALL_PORT: String(port),
    FOOTFALL_DATA: data,
    FOOTFALL_LOG_LEVEL: 'warn',
    FOOTFALL_CHECK_ANSWERS: 'on',
    ...(provision === null ? {} : { FOOTFALL_PROVISION: file }),
    ...options.env,
  }
  const { user } = options
  const as = user === undefined || process.geteuid?.() !== 0 ? {} : { uid: user, gid: user }
  if (user !== undefined && 'uid' in as) await chown(folder, user, user)
  const child = spawn(process.execPath, [CLI, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'], cwd: folder, ...as })
  let output = ''
  runningServices.set(child, () => output)
  child.once('exit', () => runningServices.delete(child))
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  if (options.unheard) child.stdout.destroy()
  const clean = () => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  try {
    await ready(child, url, () => output, options.unheard === true)
  } catch (error) {
    child.kill('SIGKILL')
    await clean()
    throw error
  }
  const waitFor: TestService['waitFor'] = async (look, what = look.toString()) => {
    const end = Date.now() + WAIT_MS
    for (;;) {
      const found = await look()
      if (found !== undefined && found !== null && found !== false) return found
      if (Date.now() > end) throw new Error(`waited ${WAIT_MS} ms for ${what}\n${output}`)
      await delay(50)
    }
  }
  return {
    url,
    data,
    pid: child.pid as number,
    output: () => output,
    api: (at, ask) => askApi(at.startsWith('/') ? `${url}${at}` : `${url}/api/environments/1/${at}`, ask),
    async capture(events, token = TOKENS.one) {
      const batch = Array.isArray(events) ? events : [events]
      const answer = await fetch(`${url}/batch/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ api_key: token, batch }),
      })
      if (answer.status !== 200) throw new Error(`capture answered ${answer.status}: ${await answer.text()}`)
    },
    waitFor,
    stored: async () => void (await waitFor(() => drained({ data }), 'everything to be stored')),
    cli: (...args) => runCli([...args, '--data', data]),
    async stop() {
      child.kill('SIGTERM')
      await ended(child)
      await clean()
      refuseUnfitAnswers(output)
    },
    async terminate() {
      child.kill('SIGTERM')
      await ended(child)
      return child.exitCode
    },
    async kill9() {
      child.kill('SIGKILL')
      await ended(child)
    },
  }
}

/** An answer that differs from its schema fails the tests that saw it, also those that did not look at it (api/frame/check-answers.ts). */
function refuseUnfitAnswers(output: string): void {
  const unfit = output.split('\n').filter((line) => line.includes('which does not fit'))
  if (unfit.length > 0) throw new Error(`answers differ from their schemas:\n${unfit.slice(0, 5).join('\n')}`)
}

/** What is prepared has PROVISION in engines of its own. */
const isLikeAnyOther = ({ data, first, provision, env = {} }: TestServiceOptions): boolean =>
  data === undefined &&
  !first &&
  provision === undefined &&
  !('FOOTFALL_POSTGRES_URL' in env || 'FOOTFALL_CLICKHOUSE_URL' in env)

async function startAndStop(data: string, fill?: (service: TestService) => Promise<void>): Promise<void> {
  await mkdir(path.dirname(data), { recursive: true })
  const service = await startTestService({ data })
  try {
    await fill?.(service)
  } catch (error) {
    await service.kill9()
    throw error
  }
  const code = await service.terminate()
  if (code !== 0) throw new Error(`the service ended with ${code}:\n${service.output()}`)
}

async function askApi(url: string, { method, key = KEYS.all, body, headers = {} }: Ask = {}): Promise<Answer> {
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    redirect: 'manual',
  })
  const text = await response.text()
  const json = response.headers.get('content-type')?.includes('application/json') === true && text !== ''
  return { status: response.status, headers: response.headers, text, body: json ? JSON.parse(text) : null }
}

async function ready(child: ChildProcess, url: string, output: () => string, unheard: boolean): Promise<void> {
  const end = Date.now() + START_WITHIN_MS
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}:\n${output()}`)
    const answer = await fetch(`${url}/_ready`).catch(() => null)
    if (answer?.status === 200 && (unheard || output().includes('Footfall is ready'))) return
    if (Date.now() > end) throw new Error(`the service was not ready within ${START_WITHIN_MS} ms:\n${output()}`)
    await delay(50)
  }
}

export function runCli(
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CLI, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: COMMAND_WITHIN_MS,
      env: { ...process.env, ...env },
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, stdout, stderr }))
  })
}

/** Starts a command, and kills it once something has happened. */
export async function killCli(args: string[], once: () => Promise<unknown>): Promise<void> {
  const child = spawn(process.execPath, [CLI, ...args], { stdio: 'ignore' })
  try {
    await once()
  } finally {
    child.kill('SIGKILL')
    await ended(child)
  }
}

const ended = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once('exit', () => resolve()))
