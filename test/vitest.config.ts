import { defineConfig } from 'vitest/config'

/**
 * Folders whose tests keep nothing in their modules and change nothing of their process: what they import is read once for
 * all of them, which is most of what they cost.
 */
const TOGETHER = ['agents', 'missions', 'operations', 'patterns', 'social', 'status', 'tools'].map(
  (folder) => `${folder}/**/*.test.ts`,
)

const each = {
  dir: 'test',
  // Tests start real processes on two cores: a minute is for a slow machine, not for a slow test.
  testTimeout: 60_000,
  hookTimeout: 60_000,
}

export default defineConfig({
  test: {
    // Much of a test is waiting for a disk or a process: two at a time even where there are two cores.
    maxWorkers: 2,
    projects: [
      { test: { ...each, name: 'apart', include: ['**/*.test.ts'], exclude: TOGETHER } },
      { test: { ...each, name: 'together', include: TOGETHER, isolate: false } },
    ],
    // Once for all of them.
    globalSetup: ['test/support/build.ts', 'test/support/postgres-setup.ts'],
  },
})
