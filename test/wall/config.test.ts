// What the house is started with may lie in the workspace. Who can change it has every wall at the next start.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Running, startGateway } from '../../src/house/gateway.ts'
import { startWorker } from '../../src/house/worker.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { facesOf } from './faces.ts'

let house: TestHouse
let gateway: Running
let worker: { stop: () => Promise<void> }
let config: string
beforeAll(async () => {
  house = await startTestHouse({ worker: false })
  await house.stopGateway()
  const { settings } = house
  config = join(settings.workspace, 'bellhop.yaml')
  writeFileSync(config, readFileSync(settings.configFile ?? '', 'utf8'))
  const own = { ...settings, configFile: config }
  gateway = await startGateway(own)
  worker = await startWorker(own)
})
afterAll(async () => {
  await worker.stop()
  await gateway.stop()
  await house[Symbol.asyncDispose]()
})

/** What came of the only step of a line. */
const came = async (text: string): Promise<{ how: string; said: string }> => {
  const [api] = facesOf({ ...house, url: gateway.url })
  const [answer] = (await api?.say([{ text }])) ?? []
  const turn = answer?.ok ? (answer.value.assignments[0]?.turn ?? '') : ''
  await eventually(`${turn} to end`, () => house.store.get(`${turn}.ended`), 60_000)
  const step = (await house.store.get(`${turn}.0.outcome`))?.body
  if (step?.event === 'step-refused') return { how: step.refusal.code, said: '' }
  return step?.event === 'step-ended'
    ? { how: step.outcome.kind, said: JSON.stringify(step.outcome) }
    : { how: 'none', said: '' }
}

const use = (tool: string, args: object): string => `/edit @codex use ${tool} ${JSON.stringify(args)}`

test('no tool reaches what the house is started with', async () => {
  const before = readFileSync(config, 'utf8')
  const tried = [
    await came(use('read', { path: 'bellhop.yaml' })),
    await came(use('write', { path: 'bellhop.yaml', text: 'x' })),
    await came(use('edit', { path: './bellhop.yaml', old: 'lobby', new: 'x' })),
    await came(use('write', { path: 'peripherals/evil.yaml', text: 'id: evil' })),
    await came(use('apply-patch', { patch: '*** Begin Patch\n*** Add File: peripherals/x.yaml\n+x\n*** End Patch' })),
  ]
  expect(tried.map(({ how }) => how)).toEqual(Array.from({ length: 5 }, () => 'out-of-scope'))
  expect(readFileSync(config, 'utf8')).toBe(before)
})

test('no program changes it, or makes a wall beside it unseen', async () => {
  const before = readFileSync(config, 'utf8')
  const code = [
    "import fs from 'node:fs'",
    'const attempt = (work) => { try { work() } catch {} }',
    "attempt(() => fs.writeFileSync('bellhop.yaml', 'pwned'))",
    "attempt(() => fs.renameSync('bellhop.yaml', 'old.yaml'))",
    "attempt(() => fs.mkdirSync('peripherals'))",
    "attempt(() => fs.writeFileSync('peripherals/evil.yaml', 'id: evil'))",
  ].join('\n')
  expect((await came(use('write', { path: 'try.mjs', text: code }))).how).toBe('ok')
  const { how, said } = await came(use('run', { argv: ['node', 'try.mjs'] }))
  const planted = existsSync(join(house.settings.workspace, 'peripherals/evil.yaml'))
  const unseen = planted && !(how === 'failed' && said.includes('peripherals'))
  expect({ config: readFileSync(config, 'utf8'), unseen }).toEqual({ config: before, unseen: false })
})
