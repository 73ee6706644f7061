import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { startEmbeddedClickHouse } from '../../src/engines/clickhouse/index.ts'
import { startEmbeddedPostgres } from '../../src/engines/postgres/index.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { whichTests } from './which-tests.ts'

const { fast, engines } = whichTests(fileURLToPath(new URL('../..', import.meta.url)))

describe('the fast tests', () => {
  it('cannot start an engine, a service or a browser', async () => {
    const dataDir = mkdtempSync(path.join(os.tmpdir(), 'footfall-none-'))
    const options = { dataDir, log: createLogger('silent') }
    await expect(startEmbeddedPostgres(options)).rejects.toThrow('is among the fast ones')
    await expect(startEmbeddedClickHouse(options)).rejects.toThrow('is among the fast ones')
    for (const [file, ...args] of [['/usr/bin/chromium'], ['/usr/sbin/nats-server'], ['node', 'dist/cli.js', 'serve']])
      expect(() => spawn(file as string, args)).toThrow('is among the fast ones')
    rmSync(dataDir, { recursive: true })
  })

  it('are those whose imports lead to none', () => {
    expect(fast).toContain('test/support/no-engines.test.ts')
    expect(fast).toContain('src/identity/rules/rules.test.ts')
    expect(fast.length).toBeGreaterThan(70)
    for (const file of [
      'src/engines/postgres/embedded/embedded.test.ts',
      'src/identity/store/merges.test.ts',
      'src/insights/kinds/trends/trends.test.ts',
      'src/log/jetstream/contract.test.ts',
      'test/browser/cohorts.test.ts',
      'test/contract/posthog-js.test.ts',
      'test/management/query.test.ts',
    ])
      expect(engines).toContain(file)
  })
})
