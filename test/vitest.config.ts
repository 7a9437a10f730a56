import { defineConfig } from 'vitest/config'

/** What has keys in Redis holds for one server and for a cluster: these are run on both. */
const ON_CLUSTER = ['registry/*.test.ts', 'queue/*.test.ts', 'delivery/ledger.test.ts', 'delivery/deliver.test.ts']

const each = {
  dir: 'test',
  // Whoever waits for a state waits for a minute (poll.ts), and a test may have several to wait for: a machine may stand still
  // for half of one.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // Tests leave nothing in their modules and their process: what they import is read once for many of them, which is half of what
  // they would cost.
  isolate: false,
  // Before each file.
  setupFiles: ['test/support/seed.ts'],
}

export default defineConfig({
  test: {
    // Much of a test is waiting for a disk or a process: two at a time even where there are two cores.
    maxWorkers: 2,
    projects: [
      { test: { ...each, name: 'cluster', include: ON_CLUSTER, env: { BELLHOP_TEST_REDIS: 'cluster' } } },
      { test: { ...each, name: 'single', include: ['**/*.test.ts'] } },
    ],
    // Once for all of them.
    globalSetup: ['test/support/build.ts', 'test/support/postgres-setup.ts'],
  },
})
