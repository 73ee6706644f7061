import { defineConfig } from 'vitest/config'

// Tests stand beside their source (src/**/*.test.ts) or, when they drive the whole service from outside, in test/.
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/src/**/*.test.ts'],
    globalSetup: ['test/support/build.ts', 'test/support/run-folder.ts', 'test/support/seed.ts'],
    setupFiles: ['test/support/compiled.ts', 'test/support/random.ts'],
    testTimeout: 180_000,
    hookTimeout: 240_000,
    pool: 'forks',
    maxWorkers: 2,
  },
})
