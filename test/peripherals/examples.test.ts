import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadPeripherals } from '../../src/config/peripherals.ts'
import { Problem } from '../../src/lib/problem.ts'
import { atBest, checkExamples } from '../../src/peripherals/examples.ts'
import type { PeripheralSpec } from '../../src/shapes/peripheral.ts'
import { gate } from '../../src/tools/gate.ts'
import { openWorkspace } from '../../src/workspace/paths.ts'
import { scratch } from '../support/folder.ts'

const OURS = join(import.meta.dirname, '../../config/peripherals')
const NONE = { checks: {}, deploys: {} }

/** The shipped peripherals with a line of explore.yaml put in place of another, checked as when Bellhop starts. */
const check = async (...instead: [string, string][]): Promise<{ message: string; fix: string } | null> => {
  using folder = scratch()
  cpSync(OURS, join(folder.path, 'walls'), { recursive: true })
  let text = readFileSync(join(OURS, 'explore.yaml'), 'utf8')
  for (const [line, other] of instead) {
    if (!text.includes(line)) throw new Error(`explore.yaml has no line ${line}`)
    text = text.replace(line, other)
  }
  folder.write('walls/explore.yaml', text)
  folder.write('ws/src/a.ts', 'export {}\n')
  const workspace = await openWorkspace(join(folder.path, 'ws'), [join(folder.path, 'ws/.bellhop')])
  try {
    const specs = loadPeripherals(join(folder.path, 'walls'), null, NONE)
    for (const spec of specs.values()) await checkExamples(spec, workspace)
  } catch (error) {
    if (error instanceof Problem) return { message: error.message, fix: error.fix }
    throw error
  }
  return null
}

test('the examples of every shipped peripheral hold', async () => {
  expect(await check()).toBeNull()
})

test.each([
  [
    'that should be allowed and is outside',
    'args: { path: README.md } }',
    'args: { path: ../README.md } }',
    '"a file of the workspace" should be allowed, but: ../README.md is outside of what explore may touch: the workspace',
  ],
  [
    'that should be allowed and lies in the data folder',
    'args: { path: README.md } }',
    'args: { path: .bellhop/secrets.json } }',
    '"a file of the workspace" should be allowed, but: .bellhop/secrets.json is outside of what explore may touch: the workspace',
  ],
  [
    'that should be allowed and is of a tool the spec lost',
    'tools: [read, list, glob, grep,',
    'tools: [read, grep,',
    '"a pattern over all files" should be allowed, but: explore has no tool glob; it has read, grep, run, web-fetch, evidence, hop, bell, whistle, park, pattern-search, pattern-read',
  ],
  [
    'that should be allowed and is no longer in scope',
    'read: ["**"]',
    'read: ["docs/**", "src/**"]',
    '"a file of the workspace" should be allowed, but: README.md is not among what explore may read',
  ],
  [
    'that should be refused and is inside',
    'path: ../outside.txt',
    'path: outside.txt',
    '"a path that climbs out" should be refused, but the gate lets it through',
  ],
  [
    'that should be refused and climbs back in',
    'path: src/../..',
    'path: src/../src',
    '"a search that climbs out" should be refused, but the gate lets it through',
  ],
  [
    'that should be refused and is a command it has',
    'argv: [rm, -r, src]',
    'argv: [ls, -R, src]',
    '"a command that changes something" should be refused, but the gate lets it through',
  ],
])('an example %s keeps Bellhop from starting', async (_what, line, instead, told) => {
  expect(await check([line, instead])).toEqual({
    message: `the peripheral explore: ${told}`,
    fix: 'correct the example, or the spec it belongs to',
  })
})

test('all examples of a peripheral that do not hold are told at once', async () => {
  const inside: [string, string] = ['path: ../outside.txt', 'path: outside.txt']
  const outside: [string, string] = ['pattern: "TODO", path: src', 'pattern: "TODO", path: ../src']
  expect((await check(inside, outside))?.message).toBe(
    [
      'the peripheral explore: "a search below a folder" should be allowed, but: ../src is outside of what explore may touch: the workspace',
      'the peripheral explore: "a path that climbs out" should be refused, but the gate lets it through',
    ].join('\n'),
  )
})

/** What becomes of an example: it passes, it asks a person, or by which rule it is refused. */
const fateOf = async (spec: PeripheralSpec, example: PeripheralSpec['examples']['allowed'][number]) => {
  using folder = scratch()
  const verdict = await gate(
    { tool: example.tool, args: example.args },
    {
      ...atBest(spec, await openWorkspace(folder.path, []), example.phase),
      mode: 'execute',
      role: spec.role,
    },
  )
  return `${example.why}: ${verdict.ok ? verdict.value.kind : verdict.refusal.code}`
}

test('the examples of what is refused are refused for what they are examples of', async () => {
  const specs = [...loadPeripherals(OURS, null, NONE).values()]
  const fates = await Promise.all(
    specs.map(async (spec) => {
      const examples = [...spec.examples.allowed, ...spec.examples.refused]
      return [spec.id, await Promise.all(examples.map((example) => fateOf(spec, example)))]
    }),
  )
  expect(Object.fromEntries(fates)).toEqual({
    alfworld: [
      'a game of a kind: passed',
      'a way to go: passed',
      'something that is put somewhere: passed',
      'how the game stands: passed',
      'a word to another player: passed',
      'a verb that there is not: arguments-invalid',
      'two actions in one: arguments-invalid',
      'a thing without its number: arguments-invalid',
      'a kind of task that there is not: arguments-invalid',
      'a file of the workspace: tool-not-allowed',
      'a command: tool-not-allowed',
    ],
    chat: [
      'to where there are tools: passed',
      'a file of the workspace: tool-not-allowed',
      'a command: tool-not-allowed',
    ],
    deploy: [
      'to look first: passed',
      'a commit once looked: passed',
      'a push once looked and with an approval: asks',
      'a push to a place and a branch: asks',
      'a commit before looking: command-not-allowed',
      'a push that rewrites history: command-not-allowed',
      'a branch that is forced: command-not-allowed',
      'a command in the settings of git: command-not-allowed',
      'a program to receive with: command-not-allowed',
      'a program for an address: command-not-allowed',
      'a change to a file: tool-not-allowed',
    ],
    edit: [
      'a file of the workspace: passed',
      'a change to it: passed',
      'a new file in a new folder: passed',
      'a program of the workspace: passed',
      'packages with an approval: asks',
      'a path that climbs out: out-of-scope',
      'an absolute path elsewhere: out-of-scope',
      'a hook that git would run: out-of-scope',
      'the same with other letters: out-of-scope',
      'a file with secrets: out-of-scope',
      'a patch that climbs out: out-of-scope',
      'a shell: command-not-allowed',
      'packages without an approval: command-not-allowed',
      'more than the ceiling has: command-not-allowed',
      'a push: command-not-allowed',
    ],
    discipline: [
      'patterns for something: passed',
      'one of them whole: passed',
      'a choice with its reasons: passed',
      'an outcome with its steps: passed',
      'a new pattern with an approval: asks',
      'a choice without a reason: arguments-invalid',
      'an outcome that is neither: arguments-invalid',
      'a pattern for the programs of people: out-of-scope',
      'a file that is no pattern: out-of-scope',
      'a pattern outside of the workspace: out-of-scope',
      'a command: tool-not-allowed',
    ],
    explore: [
      'a file of the workspace: passed',
      'a pattern over all files: passed',
      'a search below a folder: passed',
      'a command that only looks: passed',
      'the documentation of a language: passed',
      'a path that climbs out: out-of-scope',
      'an absolute path elsewhere: out-of-scope',
      'a search that climbs out: out-of-scope',
      'a tool of another peripheral: tool-not-allowed',
      'an argument no tool has: arguments-invalid',
      'a file with secrets: out-of-scope',
      'the internals of git: out-of-scope',
      'a command that changes something: command-not-allowed',
      'a flag that runs a program: command-not-allowed',
      'an address of this machine: address-refused',
    ],
    'mission-control': [
      'what was refused anywhere: passed',
      'a review of all missions: passed',
      'a room that works on a mission: passed',
      'a new mission: passed',
      'how everybody stands: passed',
      'a command: tool-not-allowed',
      'a change of a file: tool-not-allowed',
      'a mission under another name: out-of-scope',
      'a mission outside of the workspace: out-of-scope',
    ],
    mission: [
      'a mission is taken up: passed',
      'what an obligation depends on: passed',
      'a source is changed: passed',
      'the tests: passed',
      'its file is brought up to date: passed',
      'packages with an approval: asks',
      'something is done without a cycle: phase-forbids',
      'something is changed before it is proposed: phase-forbids',
      'it is changed while it is checked: phase-forbids',
      'a program is run before anything is proposed: command-not-allowed',
      'the ledger is changed before it is classified: phase-forbids',
      'a file outside of the workspace: out-of-scope',
      'a hook that git would run: out-of-scope',
      'a shell: command-not-allowed',
      'packages without an approval: command-not-allowed',
      'a push: command-not-allowed',
    ],
    proof: [
      'a problem is taken up: passed',
      'a claim: passed',
      'an argument is written: passed',
      'a program shows it: passed',
      'it is saved: passed',
      'a claim is settled without a cycle: phase-forbids',
      'something is written before it is proposed: phase-forbids',
      'it is changed while it is checked: phase-forbids',
      'the ledger is changed before it is classified: phase-forbids',
      'a source of the workspace: out-of-scope',
      'a file of another name: out-of-scope',
      'a shell: command-not-allowed',
    ],
    reflect: [
      'what was refused: passed',
      'a review: passed',
      'a file of the workspace: tool-not-allowed',
      'a command: tool-not-allowed',
      'a filter that there is not: arguments-invalid',
    ],
    test: [
      'the tests: passed',
      'the tests of a folder: passed',
      'a file they are about: passed',
      'a change: tool-not-allowed',
      'a flag that loads a program: command-not-allowed',
      'tests outside of the workspace: out-of-scope',
      'a push: command-not-allowed',
      'more than it has: approval-required',
    ],
  })
})
