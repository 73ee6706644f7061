import { fileURLToPath } from 'node:url'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'
import { whichTests } from './test/support/which-tests.ts'

// Tests stand beside their source (src/**/*.test.ts) or, when they drive the whole service from outside, in test/.
const { fast, engines } = whichTests(fileURLToPath(new URL('.', import.meta.url)))

const everywhere = {
  setupFiles: ['test/support/compiled.ts', 'test/support/random.ts', 'test/support/tell-why.ts'],
  // Limits are for what would never end, so that a busy machine fails no test; no test has one of its own.
  testTimeout: 1_200_000,
  hookTimeout: 1_200_000,
  expect: { poll: { timeout: 300_000 } },
  pool: 'forks',
  // Files of a worker run one after another in one process, which loads the sources and starts Chromium once.
  isolate: false,
} satisfies ViteUserConfig['test']

/**
 * Also asked of a ClickHouse cluster of two shards (test/support/cluster-engine.ts).
 * `TEST_CLICKHOUSE=cluster npx vitest run --project engines src/insights` asks more.
 */
const onCluster = [
  'src/insights/hogql/hogql.test.ts',
  'src/insights/kinds/trends/trends.test.ts',
  'src/insights/kinds/web/web.test.ts',
  'src/jobs/retention.test.ts',
]

export default defineConfig({
  test: {
    globalSetup: ['test/support/build.ts', 'test/support/run-folder.ts', 'test/support/seed.ts'],
    // One more than the cores of a small machine: services and browsers are waited for a good part of the time.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...everywhere, name: 'engines', include: engines } },
      { test: { ...everywhere, name: 'cluster', include: onCluster, env: { TEST_CLICKHOUSE: 'cluster' } } },
      {
        test: {
          ...everywhere,
          name: 'fast',
          include: fast,
          setupFiles: [...everywhere.setupFiles, 'test/support/no-engines.ts'],
        },
      },
    ],
  },
})
