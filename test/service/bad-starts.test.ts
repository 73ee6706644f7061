import { spawn } from 'node:child_process'
import { lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { everythingIn, openToOthers } from '../support/open-to-others.ts'
import { processTree } from '../support/process-tree.ts'
import { CLI, startTestService, type TestService } from '../support/service.ts'

const root = process.geteuid?.() === 0
/** `nobody`: initdb wants a user with an account. */
const SOMEBODY = 65_534

/** Real, effective, saved and file system user of a process. */
function usersOf(pid: number): number[] {
  try {
    const users = /^Uid:\s+(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return users?.split('\t').map(Number) ?? []
  } catch {
    // It ended while we looked, as workers of PostgreSQL do.
    return []
  }
}

/** Starts that must not succeed: each says what is wrong and leaves nothing running. */
describe('a start that cannot work', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'footfall-bad-start-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  function start(
    env: Record<string, string>,
    args: string[] = [],
  ): Promise<{ code: number | null; stderr: string; stdout: string }> {
    return new Promise((resolve) => {
      const child = spawn(process.execPath, [CLI, 'serve', ...args], {
        cwd: folder,
        env: {
          PATH: process.env.PATH,
          FOOTFALL_LOG_LEVEL: 'silent',
          FOOTFALL_PORT: '0',
          FOOTFALL_DATA: path.join(folder, 'data'),
          ...env,
        },
        timeout: 600_000,
      })
      let stderr = ''
      let stdout = ''
      child.stderr.setEncoding('utf8').on('data', (text) => {
        stderr += text
      })
      child.stdout.setEncoding('utf8').on('data', (text) => {
        stdout += text
      })
      child.on('close', (code) => resolve({ code, stderr, stdout }))
    })
  }

  it.each([
    ['an unknown variable', { FOOTFALL_COLOUR: 'blue' }, [], 'unknown setting FOOTFALL_COLOUR'],
    ['an unknown flag', {}, ['--colour', 'blue'], 'unknown setting --colour'],
    ['an impossible port', { FOOTFALL_PORT: '99999' }, [], 'FOOTFALL_PORT: must be at most 65535'],
    [
      'roles that need a shared log',
      { FOOTFALL_ROLES: 'capture' },
      [],
      'FOOTFALL_ROLES: capture and pipeline can only be separated',
    ],
    [
      'a cluster of which no server is named',
      { FOOTFALL_CLICKHOUSE_CLUSTER: 'main' },
      [],
      'FOOTFALL_CLICKHOUSE_CLUSTER: needs FOOTFALL_CLICKHOUSE_URL',
    ],
    [
      'a log that is nowhere',
      { FOOTFALL_NATS_URL: 'http://127.0.0.1:4222' },
      [],
      'FOOTFALL_NATS_URL: must be a URL starting with nats:// or tls://',
    ],
    ['a host that is none', { FOOTFALL_HOST: '192.0.2.1' }, [], 'FOOTFALL_HOST: 192.0.2.1 is not an address'],
    [
      'a data folder that is a file',
      { FOOTFALL_DATA: process.execPath },
      [],
      `FOOTFALL_DATA: ${process.execPath} cannot be made`,
    ],
    [
      'a data folder where none can be made',
      { FOOTFALL_DATA: '/proc/footfall/data' },
      [],
      'FOOTFALL_DATA: /proc/footfall/data cannot be made',
    ],
    ['a provisioning file that is not there', { FOOTFALL_PROVISION: 'nowhere.json' }, [], 'nowhere.json'],
  ])('%s stops it with the name and the reason', async (_, env, args, message) => {
    const { code, stderr, stdout } = await start(env as Record<string, string>, args)
    expect(code).toBe(1)
    expect(stderr).toContain(message)
    expect(stdout).toBe('')
  })

  it.each([
    [
      { organization: { name: 'Acme' }, projects: [{ id: 'one', name: 'One', api_token: 'phc_x' }] },
      '$.projects[0].id',
    ],
    [
      { organization: { name: 'Acme' }, projects: [{ id: 1, name: 'One', api_token: 'phx_x' }] },
      '$.projects[0].api_token',
    ],
    [
      {
        organization: { name: 'Acme' },
        users: [
          { email: 'a@example.com', personal_api_keys: [{ label: 'x', value: 'phx_12345', scopes: ['everything'] }] },
        ],
      },
      '$.users[0].personal_api_keys[0].scopes[0]',
    ],
    [{ organization: { name: 'Acme' }, colour: 'blue' }, 'colour'],
  ])('a bad provisioning file %j stops it with the JSON path', async (file, at) => {
    writeFileSync(path.join(folder, 'provision.json'), JSON.stringify(file))
    const { code, stderr } = await start({ FOOTFALL_PROVISION: 'provision.json' })
    expect(code).toBe(1)
    expect(stderr).toContain(at)
  })

  it('a key for a project that is nowhere stops it with the JSON path and the reason', async () => {
    const key = { label: 'x', value: 'phx_12345', scopes: ['*'], scoped_projects: [1, 7] }
    const file = {
      organization: { name: 'Acme' },
      projects: [{ id: 1, name: 'One', api_token: 'phc_x' }],
      users: [{ email: 'a@example.com', personal_api_keys: [key] }],
    }
    writeFileSync(path.join(folder, 'provision.json'), JSON.stringify(file))
    const data = path.join(folder, 'keyed')
    const { code, stderr } = await start({ FOOTFALL_PROVISION: 'provision.json', FOOTFALL_DATA: data })
    expect(code).toBe(1)
    expect(stderr).toContain(
      'at $.users[0].personal_api_keys[0].scoped_projects[1]: there is no project 7 in this organisation',
    )
  })

  describe('beside a service that runs', () => {
    let service: TestService
    beforeAll(async () => {
      const mask = process.umask(0)
      service = await startTestService()
      process.umask(mask)
    })
    afterAll(() => service?.stop())

    it('on the same folder is refused, and the first goes on', async () => {
      const { code, stderr } = await start({ FOOTFALL_DATA: service.data })
      expect(code).toBe(1)
      expect(stderr).toContain('is in use by another Footfall')
      expect((await service.api('/_ready', { key: null })).status).toBe(200)
    })

    it('keeps its folder and all in it to its owner, whatever mask it was started with', async () => {
      await service.capture({ event: 'kept', distinct_id: 'me' })
      await service.stored()
      expect(openToOthers(service.data)).toEqual([])
      expect(everythingIn(service.data).length).toBeGreaterThan(100)
    })

    it.runIf(root)('was started as root, says whom it runs as, and nothing of it is root', async () => {
      const { uid } = lstatSync(service.data)
      expect(uid).toBeGreaterThanOrEqual(50_000)
      expect(service.output()).toContain(`started as root: Footfall runs as user ${uid} from here on`)
      const users = processTree(service.pid).map(({ pid }) => usersOf(pid))
      expect(new Set(users.flat())).toEqual(new Set([uid]))
      expect(users.filter((of) => of.length > 0).length).toBeGreaterThan(3)
      expect((await service.cli('status')).code).toBe(0)
    })

    it('on the same port is refused', async () => {
      const { code, stderr } = await start({ FOOTFALL_PORT: new URL(service.url).port })
      expect(code).toBe(1)
      expect(stderr).toContain('is already in use on 127.0.0.1')
    })
  })
})

describe('a start by an ordinary user whose banner nobody reads', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ unheard: true, user: SOMEBODY, first: true })
  })
  afterAll(() => service?.stop())

  it('as an ordinary user, runs everything as that user', () => {
    const users = processTree(service.pid).flatMap(({ pid }) => usersOf(pid))
    expect(new Set(users)).toEqual(new Set([root ? SOMEBODY : process.geteuid?.()]))
  })

  it('serves all the same', async () => {
    await service.capture({ event: 'heard', distinct_id: 'me' })
    await service.stored()
    expect((await service.api('events/?event=heard')).body.results).toHaveLength(1)
  })
})
