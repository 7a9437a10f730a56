import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { scratch } from '../support/folder.ts'
import { findTools } from './tools.ts'

/** An npm that writes down that it was called, and does what the test says after that. */
const npmThat = (folder: ReturnType<typeof scratch>, does: string) => {
  const calls = join(folder.path, 'calls')
  chmodSync(folder.write('bin/npm', `#!/bin/sh\necho "$HOME" >>${calls}\n${does}\n`), 0o755)
  const env = { PATH: `${join(folder.path, 'bin')}:${process.env['PATH']}`, HOME: join(folder.path, 'home') }
  return { env, calls: () => (existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : []) }
}

const silent = () => {}
const INSTALLS = 'mkdir -p node_modules/installed'

it('installs once where two runs ask at the same time, into a home that has no cache folder yet', async () => {
  using folder = scratch()
  folder.write('home/.profile', '')
  const npm = npmThat(folder, INSTALLS)
  const said: string[] = []
  const find = () => findTools(npm.env, (line) => said.push(line))
  const [one, other] = await Promise.all([find(), find()])
  expect(one).toEqual(other)
  expect(npm.calls()).toEqual([npm.env.HOME])
  expect(await find()).toEqual(one)
  expect([npm.calls().length, said.length]).toEqual([1, 1])
  const cache = join(npm.env.HOME, '.cache/bellhop')
  const modules = dirname(dirname(dirname(one.node)))
  expect(readdirSync(modules)).toEqual(['installed'])
  expect(readdirSync(cache).filter((name) => !name.startsWith('mcp-tools.lock'))).toEqual([
    dirname(modules).slice(cache.length + 1),
  ])
})

it('takes nothing for installed that a run has not finished, and starts anew', async () => {
  using folder = scratch()
  const broken = npmThat(folder, 'mkdir -p node_modules/half; exit 1')
  await expect(findTools(broken.env, silent)).rejects.toThrow(/npm install/)
  const npm = npmThat(folder, INSTALLS)
  const { node } = await findTools(npm.env, silent)
  expect(readdirSync(dirname(dirname(dirname(node))))).toEqual(['installed'])
  expect(npm.calls().length).toBe(2)
})

it('keeps to a cache folder that is named', async () => {
  using folder = scratch()
  const { env } = npmThat(folder, INSTALLS)
  const { node } = await findTools({ ...env, BELLHOP_CACHE: join(folder.path, 'kept') }, silent)
  expect(node.startsWith(join(folder.path, 'kept/bellhop/mcp-tools-'))).toBe(true)
})
