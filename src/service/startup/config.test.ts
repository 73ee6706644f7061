import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConfigError, loadConfig } from './config.ts'

describe('configuration', () => {
  let cwd: string
  beforeEach(() => {
    cwd = mkdtempSync(path.join(os.tmpdir(), 'footfall-config-'))
  })
  afterEach(() => rmSync(cwd, { recursive: true, force: true }))

  it('has defaults for everything', () => {
    expect(loadConfig({ env: {}, cwd })).toMatchObject({
      host: '127.0.0.1',
      port: 8000,
      public_url: 'http://127.0.0.1:8000',
      data: path.join(cwd, 'data'),
      roles: ['capture', 'pipeline', 'api', 'jobs'],
      rate_limits: 'off',
      trusted_proxies: [],
    })
  })

  it('takes trusted proxies as a comma list or, in the file, as a list', () => {
    const env = { FOOTFALL_TRUSTED_PROXIES: '10.0.0.0/8, ::1' }
    expect(loadConfig({ env, cwd }).trusted_proxies).toEqual(['10.0.0.0/8', '::1'])
    writeFileSync(path.join(cwd, 'footfall.json'), '{"trusted_proxies": ["192.0.2.7"]}')
    expect(loadConfig({ env: {}, cwd }).trusted_proxies).toEqual(['192.0.2.7'])
    expect(() => loadConfig({ env: { FOOTFALL_TRUSTED_PROXIES: 'nginx' }, cwd })).toThrow(
      'FOOTFALL_TRUSTED_PROXIES: "nginx" is no address or network',
    )
  })

  it('prefers flags to variables and variables to the file', () => {
    writeFileSync(path.join(cwd, 'footfall.json'), '{"port": 1, "host": "0.0.0.0", "rate_limits": "on"}')
    const config = loadConfig({ env: { FOOTFALL_PORT: '2', FOOTFALL_HOST: '::1' }, argv: ['--port=3'], cwd })
    expect(config).toMatchObject({ port: 3, host: '::1', rate_limits: 'on', public_url: 'http://[::1]:3' })
  })

  it.each([
    [{ FOOTFALL_PROT: '1' }, [], 'unknown setting FOOTFALL_PROT'],
    [{}, ['--prot', '1'], 'unknown setting --prot'],
    [{ FOOTFALL_PORT: 'http' }, [], 'FOOTFALL_PORT: must be a number'],
    [{ FOOTFALL_PORT: '70000' }, [], 'FOOTFALL_PORT: must be at most 65535'],
    [{ FOOTFALL_ROLES: 'capture,web' }, [], 'FOOTFALL_ROLES: must be "all" or a comma list of'],
    [{ FOOTFALL_POSTGRES_URL: 'mysql://x' }, [], 'FOOTFALL_POSTGRES_URL: must be a URL starting with postgres://'],
    [{}, ['--port'], '--port needs a value'],
  ])('stops at %j %j with the name and the reason', (env, argv, message) => {
    expect(() => loadConfig({ env, argv, cwd })).toThrow(ConfigError)
    expect(() => loadConfig({ env, argv, cwd })).toThrow(message)
  })

  it('names an unknown key of the file', () => {
    writeFileSync(path.join(cwd, 'footfall.json'), '{"prot": 1}')
    expect(() => loadConfig({ env: {}, cwd })).toThrow('unknown setting prot')
  })

  it('keeps the order of roles whatever the list says', () => {
    expect(loadConfig({ env: { FOOTFALL_ROLES: 'api, capture' }, cwd }).roles).toEqual(['capture', 'api'])
  })
})
