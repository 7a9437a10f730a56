import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PeripheralSpec, ToolCall } from '../../src/shapes/peripheral.ts'
import { type RefusalCode, refusal } from '../../src/shapes/refusal.ts'
import { refused } from '../../src/shapes/result.ts'
import { gate, type Standing, tools } from '../../src/tools/gate.ts'
import { EXPLORE } from '../support/explore.ts'
import { bench } from './bench.ts'

type Rule = { code: RefusalCode; sentence: string; break: (call: ToolCall, standing: Standing) => [ToolCall, Standing] }

const READ: ToolCall = { tool: 'read', args: { path: 'README.md' } }

/** The rules of the gate in their order: how each is broken, and what it says then. */
const rules: Rule[] = [
  {
    code: 'peripheral-inactive',
    sentence: 'no peripheral is active, so there is no tool write',
    break: (call, standing) => [call, { ...standing, spec: null }],
  },
  {
    code: 'tool-not-allowed',
    sentence: 'explore has no tool write; it has read, glob, grep',
    break: (call, standing) => [{ ...call, tool: 'write' }, standing],
  },
  {
    code: 'arguments-invalid',
    sentence:
      'read: arguments: Unrecognized key: "follow"; usage: read {path, from?, lines?}: the text of a file, or of some of its lines',
    break: (call, standing) => [{ ...call, args: { ...call.args, follow: true } }, standing],
  },
  {
    code: 'mode-forbids',
    sentence: 'the room is in discuss; explore needs diagnose or execute',
    break: (call, standing) => [call, { ...standing, mode: 'discuss' }],
  },
  {
    code: 'budget-spent',
    sentence: 'this turn has used its 25 steps',
    break: (call, standing) => [call, { ...standing, taken: 25 }],
  },
  {
    code: 'out-of-scope',
    sentence: '../outside.txt is outside of what explore may touch: the workspace',
    break: (call, standing) => [{ ...call, args: { ...call.args, path: '../outside.txt' } }, standing],
  },
]

const open = async () => {
  const it = await bench({ 'README.md': '# hi\n' })
  const standing: Standing = { spec: EXPLORE, mode: 'execute', taken: 0, workspace: it.workspace }
  return { ...it, standing }
}

test('a call that breaks no rule passes, in every mode that opens the peripheral and up to its last step', async () => {
  using it = await open()
  for (const mode of ['diagnose', 'execute'] as const) {
    for (const taken of [0, 24]) {
      expect(await gate(READ, { ...it.standing, mode, taken })).toEqual({
        ok: true,
        value: { run: expect.any(Function) },
      })
    }
  }
})

test.each(rules.map((rule, i) => ({ ...rule, i })))('rule $i refuses with $code and its sentence', async (rule) => {
  using it = await open()
  const tool = rule.code === 'peripheral-inactive' ? 'write' : 'read'
  const broken = rule.break({ ...READ, tool }, it.standing)
  expect(await gate(...broken)).toEqual(refused(refusal(rule.code, rule.sentence)))
})

const pairs = rules.flatMap((first, i) => rules.slice(i + 1).map((second) => ({ first, second })))

test.each(pairs)(
  'a call that breaks $first.code and $second.code is refused by the first',
  async ({ first, second }) => {
    using it = await open()
    const [call, standing] = first.break(...second.break(READ, it.standing))
    expect(await gate(call, standing)).toMatchObject({ ok: false, refusal: { code: first.code } })
  },
)

test('a call that breaks every rule is refused by the first that is left, as they are mended one by one', async () => {
  using it = await open()
  const codes: unknown[] = []
  for (let mended = 0; mended <= rules.length; mended++) {
    let broken: [ToolCall, Standing] = [READ, it.standing]
    for (const rule of rules.slice(mended)) broken = rule.break(...broken)
    const verdict = await gate(...broken)
    codes.push(verdict.ok ? 'passed' : verdict.refusal.code)
  }
  expect(codes).toEqual([...rules.map(({ code }) => code), 'passed'])
})

test.each(['', 'READ', 'read ', 'bash', 'write', 'constructor', '__proto__', 'toString', 'hasOwnProperty'])(
  'a tool that the peripheral does not have is refused by default: %j',
  async (tool) => {
    using it = await open()
    expect(await gate({ tool, args: {} }, it.standing)).toEqual(
      refused(refusal('tool-not-allowed', `explore has no tool ${tool}; it has read, glob, grep`)),
    )
  },
)

test('a tool that exists but is not in the spec is refused: the spec decides', async () => {
  using it = await open()
  const spec: PeripheralSpec = { ...EXPLORE, id: 'peek', tools: ['read'] }
  for (const tool of ['glob', 'grep']) {
    expect(await gate({ tool, args: { pattern: 'x' } }, { ...it.standing, spec })).toEqual(
      refused(refusal('tool-not-allowed', `peek has no tool ${tool}; it has read`)),
    )
  }
})

test.each([
  ['read', {}, 'path: Invalid input: expected string, received undefined'],
  ['read', { path: '' }, 'path: Too small: expected string to have >=1 characters'],
  ['read', { path: ['README.md'] }, 'path: Invalid input: expected string, received array'],
  ['read', { path: 'README.md', from: 0 }, 'from: Too small: expected number to be >=1'],
  ['read', { path: 'README.md', from: 1.5 }, 'from: Invalid input: expected int, received number'],
  ['read', { path: 'README.md', lines: '3' }, 'lines: Invalid input: expected number, received string'],
  ['read', { path: 'n/'.repeat(2049) }, 'path: Too big: expected string to have <=4096 characters'],
  ['grep', { pattern: 'x', path: '../'.repeat(2000) }, 'path: Too big: expected string to have <=4096 characters'],
  ['glob', { pattern: 'x', path: '../'.repeat(2000) }, 'path: Too big: expected string to have <=4096 characters'],
  ['glob', { path: 'src' }, 'pattern: Invalid input: expected string, received undefined'],
  ['glob', { pattern: 'a'.repeat(201) }, 'pattern: Too big: expected string to have <=200 characters'],
  ['grep', { pattern: '' }, 'pattern: Too small: expected string to have >=1 characters'],
  ['grep', { pattern: 'x', path: '' }, 'path: Too small: expected string to have >=1 characters'],
  ['grep', { pattern: 'x', literal: 'yes' }, 'literal: Invalid input: expected boolean, received string'],
  ['grep', { pattern: 'x', flags: '--hidden' }, 'arguments: Unrecognized key: "flags"'],
] as const)('%s with %j is refused with what is wrong and how it is used', async (tool, args, wrong) => {
  using it = await open()
  expect(await gate({ tool, args }, it.standing)).toEqual(
    refused(refusal('arguments-invalid', `${tool}: ${wrong}; usage: ${tools[tool].help}`)),
  )
})

test('a gate that fails refuses: on a loop of links, on a name too long, on a link that leads nowhere', async () => {
  using it = await open()
  symlinkSync('b', join(it.root, 'a'))
  symlinkSync('a', join(it.root, 'b'))
  symlinkSync('not-there', join(it.root, 'nowhere'))
  const long = 'n'.repeat(256)
  const judge = (path: string) => gate({ tool: 'read', args: { path } }, it.standing)
  const fails = (why: string) => refused(refusal('gate-failed', `the gate could not judge read: ${why}`))

  expect(await judge('a')).toEqual(
    fails(`ELOOP: too many symbolic links encountered, realpath '${join(it.root, 'a')}'`),
  )
  expect(await judge(long)).toEqual(fails(`ENAMETOOLONG: name too long, realpath '${join(it.root, long)}'`))
  expect(await judge('nowhere')).toEqual(fails('nowhere is a link that leads nowhere'))
})

test('a gate whose standing cannot be read refuses', async () => {
  using it = await open()
  const spec = {
    ...EXPLORE,
    get tools(): never {
      throw new Error('the spec is torn')
    },
  }
  expect(await gate(READ, { ...it.standing, spec })).toEqual(
    refused(refusal('gate-failed', 'the gate could not judge read: the spec is torn')),
  )
})
