import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { converse } from '../../src/client/converse.ts'
import { bellhop, startUp } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
import { testWorkspace } from '../support/workspace.ts'

type Instance = Awaited<ReturnType<typeof startUp>>
/** A call; what it says of steps is made when those are known. */
type Call = { tool: string; args: (known: ReadonlyMap<string, string>) => object; label?: string }
type Claim = {
  item: string
  approach: string
  status: string
  basis: string
  why?: string
  argument: string
  check: string
}

const call = (tool: string, args: object = {}, label?: string): Call => ({
  tool,
  args: () => args,
  ...(label === undefined ? {} : { label }),
})

const LOAD = { problem: 'P-sum', title: 'sums of odd numbers' }

/** The parts that a rehearsal takes of a request, but for the one that takes the proof up. */
const MOST = 4

/** Takes calls in as many turns of a rehearsal as it needs, each of which takes the proof up where the last one left it. */
const createDriver = () => {
  const known = new Map<string, string>()
  let turns = 0
  const requestOf = (calls: readonly Call[], turn: string): string => {
    const lines = [call('proof-load', LOAD), ...calls].map(({ tool, args, label }, i) => {
      if (label !== undefined) known.set(label, `${turn}.${i}`)
      return `use ${tool} ${JSON.stringify(args(known))}`
    })
    return `/proof @claude ${lines.join(' then ')}`
  }
  const next = () => {
    const id = `turn-${++turns}`
    return { id, turn: `${id}.claude-1` }
  }
  return {
    requestOf,
    next,
    take: async ({ client }: Instance, calls: readonly Call[]): Promise<void> => {
      for (let i = 0; i < calls.length; i += MOST) {
        const { id, turn } = next()
        const text = requestOf(calls.slice(i, i + MOST), turn)
        must(await converse(client, { id, room: 'lobby', text }, AbortSignal.timeout(120_000)))
        const ended = must(await client.ask('evidence', { event: 'step-ended', limit: 20 }))
        const bad = ended.entries.flatMap(({ body, id: entry }) =>
          entry.startsWith(`${turn}.`) && body.event === 'step-ended' && body.outcome.kind !== 'ok'
            ? [body.outcome]
            : [],
        )
        expect(bad).toEqual([])
      }
    },
  }
}

/** A whole cycle on a claim: an argument, a program that checks it, and what that shows. */
const cycleOn = ({ item, approach, status, basis, why = '', argument, check }: Claim): Call[] => {
  const [written, program] = [`proofs/sum/${item}.md`, `proofs/sum/${item}.py`]
  return [
    call('cycle-begin', { item }),
    call('ledger-query', {}, `look ${item}`),
    { tool: 'advance', args: (known) => ({ outputs: { observed: [known.get(`look ${item}`)] } }) },
    call('advance', { outputs: { approach, items: [item] } }),
    call('write', { path: written, text: argument }),
    call('write', { path: program, text: check }),
    call('advance', { outputs: { artifacts: [written, program] } }),
    call('run', { argv: ['python3', program] }, `run ${item}`),
    { tool: 'advance', args: (known) => ({ outputs: { validation: [known.get(`run ${item}`)] } }) },
    call('classify', { item, status, basis, why }),
    call('advance', { outputs: { classification: `${item} is ${status}` } }),
    call('ledger-upsert', { item }),
    call('advance', { outputs: { rationale: 'as it was shown', changes: [item] } }),
    call('proof-save', { path: 'proofs/P-sum.md' }),
    call('advance', { outputs: { saved: 'proofs/P-sum.md' } }),
    call('advance', { outputs: {} }),
  ]
}

const proved = (item: string, argument: string, check: string): Claim => ({
  item,
  approach: `by hand, ${item}`,
  status: 'proved',
  basis: 'argument',
  argument,
  check,
})

const CLAIMS: [item: string, text: string, ...dependsOn: string[]][] = [
  ['C-1', 'the first odd number is 1, which is 1 squared'],
  ['C-2', 'the odd number after the first n is 2n+1'],
  ['C-3', 'n^2 + 2n + 1 = (n+1)^2'],
  ['C-4', 'if the first n odd numbers add up to n^2, the first n+1 add up to (n+1)^2', 'C-2', 'C-3'],
  ['C-5', 'the first n odd numbers add up to n^2, for every n from 1 on', 'C-1', 'C-4'],
  ['C-6', 'n^2+n+41 is prime for every natural n'],
  ['C-7', 'every even number from 4 on is the sum of two primes'],
]

const PRIME = 'prime = lambda n: n > 1 and all(n % d for d in range(2, int(n**0.5) + 1))\n'
/** It looks until it finds one: nobody has told it where. */
const SEARCH = `${PRIME}n = 0\nwhile prime(n*n + n + 41): n += 1\nprint("not prime at", n)\n`
const GOLDBACH = `${PRIME}assert all(any(prime(p) and prime(n-p) for p in range(2, n)) for n in range(4, 600, 2))\n`
const ARGUED = [
  proved('C-1', '1 = 1 * 1.\n', 'assert 1 == 1**2\n'),
  proved(
    'C-2',
    'The n-th odd number is 2n-1; the next is 2 more.\n',
    'assert all(list(range(1, 999, 2))[n] == 2*n+1 for n in range(400))\n',
  ),
  proved('C-3', '(n+1)^2 = (n+1)(n+1) = n^2 + n + n + 1.\n', 'assert all(n*n+2*n+1 == (n+1)**2 for n in range(999))\n'),
  proved(
    'C-4',
    'By C-2 the next one is 2n+1; by C-3, n^2 and that are (n+1)^2.\n',
    'assert all(n*n + (2*n+1) == (n+1)**2 for n in range(999))\n',
  ),
  proved(
    'C-5',
    'By induction: C-1 is the beginning, C-4 the step.\n',
    'assert all(sum(range(1, 2*n, 2)) == n*n for n in range(1, 300))\n',
  ),
]

test('a problem is carried from its statement to a proof, over the deaths of all who work on it', async () => {
  using workspace = testWorkspace()
  const { take, requestOf, next } = createDriver()
  const first = await startUp({ workspace: workspace.path })
  const { client } = first
  for (const to of ['diagnose', 'execute']) await client.say({ room: 'lobby', text: `/mode ${to}` })
  await take(first, [
    call('proof-statement', { text: 'the sum of the first n odd numbers is n^2' }),
    ...CLAIMS.map(([item, text, ...dependsOn]) => call('ledger-upsert', { item, text, dependsOn })),
    call('proof-mode', { to: 'FALSIFY' }),
  ])
  const refuting: Claim = {
    item: 'C-6',
    approach: 'look for a number where it fails',
    status: 'false',
    basis: 'counterexample',
    why: 'the program found one',
    argument: 'Look at the number that the program finds.\n',
    check: SEARCH,
  }
  const [begun, rest] = [cycleOn(refuting).slice(0, 7), cycleOn(refuting).slice(7)]
  await take(first, begun)

  // The worker dies while the program runs: what it was to show is not shown.
  workspace.write('proofs/slow.py', 'import os, time\nwhile not os.path.exists("go"): time.sleep(0.05)\n')
  const { id, turn } = next()
  const [worker] = await first.pidsOf('worker')
  const slow = requestOf([call('run', { argv: ['python3', 'proofs/slow.py'] })], turn)
  const dying = converse(client, { id, room: 'lobby', text: slow }, AbortSignal.timeout(120_000))
  await eventually('the program to run', async () => (await client.ask('show', { entry: `${turn}.1.intent` })).ok)
  process.kill(worker ?? 0, 'SIGKILL')
  await eventually('the worker to be back', async () => {
    const [again] = await first.pidsOf('worker')
    return again !== undefined && again !== worker
  })
  workspace.write('go', '')
  must(await dying)
  expect(must(await client.ask('show', { entry: `${turn}.1.outcome` })).entry.body).toMatchObject({
    outcome: { kind: 'interrupted' },
  })
  await take(first, rest)

  // The gateway dies between two phases.
  const numeric: Claim = {
    item: 'C-7',
    approach: 'try the small ones',
    status: 'numerically-verified',
    basis: 'numbers',
    why: 'up to 600; that is no proof',
    argument: 'Nobody knows.\n',
    check: GOLDBACH,
  }
  const trying = cycleOn(numeric)
  await take(first, trying.slice(0, 7))
  const [gateway] = await first.pidsOf('gateway')
  process.kill(gateway ?? 0, 'SIGKILL')
  await eventually('the gateway to be back', async () => {
    const [again] = await first.pidsOf('gateway')
    const health = again !== gateway && (await fetch(`${first.url}/readyz`).catch(() => null))
    return health ? health.ok : false
  })
  await take(first, trying.slice(7))

  // All of it dies, and Redis is lost.
  const pids = await Promise.all((['redis-server', 'worker', 'gateway'] as const).map((part) => first.pidsOf(part)))
  for (const pid of [first.pid, ...pids.flat()]) process.kill(pid, 'SIGKILL')
  await first.ended
  rmSync(`${first.data}/redis`, { recursive: true })
  await using second = await startUp({ workspace: workspace.path })
  await take(second, [
    call('proof-mode', { to: 'CONSTRUCT' }),
    call('ledger-upsert', { item: 'C-5', status: 'partial', basis: 'argument', why: 'by induction' }),
    call('proof-mode', { to: 'VERIFY' }),
    ...ARGUED.flatMap(cycleOn),
  ])

  const whole = must(await second.client.ask('proof', { problem: 'P-sum' }))
  expect(whole.items.map(({ id: item, status, basis }) => [item, status, basis])).toEqual([
    ['C-1', 'proved', 'argument'],
    ['C-2', 'proved', 'argument'],
    ['C-3', 'proved', 'argument'],
    ['C-4', 'proved', 'argument'],
    ['C-5', 'proved', 'argument'],
    ['C-6', 'false', 'counterexample'],
    ['C-7', 'numerically-verified', 'numbers'],
  ])
  expect(
    whole.cycles.map(({ n, item, mode, outcome, gates }) => [n, item, mode, outcome, gates.every(({ ok }) => ok)]),
  ).toEqual([
    [1, 'C-6', 'FALSIFY', 'completed', true],
    [2, 'C-7', 'FALSIFY', 'completed', true],
    ...['C-1', 'C-2', 'C-3', 'C-4', 'C-5'].map((item, i) => [i + 3, item, 'VERIFY', 'completed', true]),
  ])
  const { mode, phase, counts, failed, licence, at, graph } = whole
  expect({ mode, phase, counts, failed, licence, at, edges: graph.edges }).toEqual({
    mode: 'VERIFY',
    phase: 'setup',
    counts: { proved: 5, false: 1, 'numerically-verified': 1 },
    failed: [],
    licence: null,
    at: null,
    edges: [
      { from: 'C-4', to: 'C-2' },
      { from: 'C-4', to: 'C-3' },
      { from: 'C-5', to: 'C-1' },
      { from: 'C-5', to: 'C-4' },
    ],
  })
  expect(must(await second.client.ask('proofs', {})).proofs.map(({ id: one }) => one)).toEqual(['P-sum'])
  expect((await second.client.say({ room: 'lobby', text: '/proof P-sum graph' })).ok).toBe(true)

  const saved = join(workspace.path, 'proofs/P-sum.md')
  expect(existsSync(saved)).toBe(true)
  expect(readFileSync(saved, 'utf8').match(/^### .*$/gm)).toEqual([
    ...['C-1', 'C-2', 'C-3', 'C-4', 'C-5'].map((item) => `### ${item}: proved, by argument`),
    '### C-6: false, by counterexample',
    '### C-7: numerically-verified, by numbers',
  ])
  const verified = await bellhop(['verify', '--all', '--data', second.data])
  expect([verified.exitCode, verified.stdout.includes('undertaking~P-sum')]).toEqual([0, true])
}, 600_000)
