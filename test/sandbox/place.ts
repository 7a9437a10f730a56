import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execaSync } from 'execa'
import type { Job } from '../../src/sandbox/job.ts'

export type Place = ReturnType<typeof createPlace>

/**
 * A workspace with everything that a program must not get at: a data folder and hidden files in it, and beside it a
 * folder that is none of its business. Each holds a text that stands nowhere else.
 */
export const createPlace = () => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'bellhop-sandbox-')))
  const [root, outside] = [join(top, 'workspace'), join(top, 'outside')]
  const secret = `planted-${randomBytes(12).toString('hex')}`
  const write = (path: string, text: string): string => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    return path
  }
  write(join(root, 'readme.txt'), 'hello\n')
  write(join(root, '.bellhop/store.txt'), secret)
  write(join(root, '.env'), secret)
  write(join(root, 'deep/conf/key.pem'), secret)
  write(join(root, 'private/one.txt'), secret)
  write(join(outside, 'secret.txt'), secret)
  symlinkSync(join(outside, 'secret.txt'), join(root, 'link-out'))
  symlinkSync(outside, join(root, 'folder-out'))
  symlinkSync('.env', join(root, 'link-hidden'))
  return {
    top,
    root,
    outside,
    secret,
    /** Lays a file into the workspace. */
    lay: (name: string, text: string): string => write(join(root, name), text),
    program: (name: string, text: string): void => chmodSync(write(join(root, name), `#!/bin/sh\n${text}\n`), 0o755),
    git: (...args: string[]): string =>
      execaSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@t', ...args], { cwd: root, env: GIT_ALONE }).stdout,
    job: (argv: readonly string[], change: Partial<Job> = {}): Job => ({
      argv,
      mode: 'workspace-write',
      network: false,
      workspace: { root, offLimits: [join(root, '.bellhop')] },
      hidden: ['.env', 'deep/conf/key.pem', 'private'].map((name) => join(root, name)),
      readable: [],
      path: process.env['PATH'] ?? '',
      limits: { seconds: 30, memoryMb: 512, processes: 64, outputBytes: 1_000_000 },
      signal: new AbortController().signal,
      ...change,
    }),
    [Symbol.dispose]: () => rmSync(top, { recursive: true, force: true }),
  }
}

const GIT_ALONE = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }

/** A script as the words of a command; what it is given comes as $1, $2 and so on. */
export const sh = (script: string, ...given: (string | number)[]): string[] => [
  'sh',
  '-c',
  script,
  'sh',
  ...given.map(String),
]
