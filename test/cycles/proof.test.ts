import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadPeripherals } from '../../src/config/peripherals.ts'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import { openWorkshop, request } from '../peripherals/workshop.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())

const SPECS = [
  ...loadPeripherals(join(import.meta.dirname, '../../config/peripherals'), null, { checks: {}, deploys: {} }).values(),
]

/** A session of claude's behind the wall of proof, and a way to take steps there, each with what it came to. */
const open = async () => {
  const spec = SPECS.find(({ id }) => id === 'proof')
  if (!spec) throw new Error('there is no wall for proofs')
  const it = await openWorkshop(server, { spec, specs: SPECS, files: {}, peripheral: 'proof' })
  it.runSteps()
  await it.accept('prove it')
  await it.enter('proof')
  let n = 0
  const take = async (tool: string, args: Record<string, unknown> = {}) => {
    const call = request(++n, { tool, args })
    const report = await it.steps.ask(call, new AbortController().signal)
    return { step: call.step, report }
  }
  const well = async (tool: string, args: Record<string, unknown> = {}): Promise<string> => {
    const { step, report } = await take(tool, args)
    if (report?.kind !== 'ok') throw new Error(`${tool}: ${JSON.stringify(report)}`)
    return step
  }
  return { ...it, take, well, [Symbol.asyncDispose]: it[Symbol.asyncDispose] }
}

test('a conjecture is refuted by a counterexample that a program found, from its statement on', async () => {
  await using it = await open()
  const { well, take } = it
  await well('proof-load', { problem: 'P-euler', title: 'primes of a polynomial' })
  await well('proof-statement', { text: 'n^2+n+41 is prime for every natural n' })
  await well('ledger-upsert', { item: 'C-1', text: 'n^2+n+41 is prime for every natural n' })
  await well('proof-mode', { to: 'FALSIFY' })
  await well('cycle-begin', { item: 'C-1' })
  const looked = await well('ledger-query', {})
  await well('advance', { outputs: { observed: [looked] } })
  await well('advance', { outputs: { approach: 'search the first hundred', items: ['C-1'] } })
  await well('write', {
    path: 'proofs/euler/search.py',
    text: 'import sys\nsys.exit(0 if (40*40+40+41)%41==0 else 1)\n',
  })
  await well('advance', { outputs: { artifacts: ['proofs/euler/search.py'] } })
  const ran = await well('run', { argv: ['python3', 'proofs/euler/search.py'] })
  await well('advance', { outputs: { validation: [ran] } })
  expect((await take('classify', { item: 'C-1', status: 'proved', basis: 'numbers' })).report).toEqual({
    kind: 'failed',
    message: 'nothing is found to be proved in FALSIFY: there it can be open, partial, false, numerically-verified',
  })
  await well('classify', { item: 'C-1', status: 'false', basis: 'counterexample', why: 'at n=40 it is 41²' })
  await well('advance', { outputs: { classification: 'refuted at n=40' } })
  await well('ledger-upsert', { item: 'C-1', status: 'false' })
  await well('advance', { outputs: { rationale: 'a counterexample', changes: ['C-1'] } })
  await well('proof-save', { path: 'proofs/P-euler.md' })
  await well('advance', { outputs: { saved: 'proofs/P-euler.md' } })
  const { report } = await take('advance', { outputs: {} })
  expect(report).toMatchObject({ kind: 'ok', output: 'cycle 1 is completed: C-1 is false', phase: 'setup' })
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
  const { violations } = await verifyChain(it.store, 'undertaking~P-euler')
  expect(violations).toEqual([])
})
