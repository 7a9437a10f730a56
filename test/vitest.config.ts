import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    dir: 'test',
    // Tests start real processes on two cores: a minute is for a slow machine, not for a slow test.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Much of a test is waiting for a disk or a process: two at a time even where there are two cores.
    maxWorkers: 2,
    globalSetup: ['test/support/build.ts', 'test/support/postgres-setup.ts'],
  },
})
