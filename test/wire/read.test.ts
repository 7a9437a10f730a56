import { expect, test } from 'vitest'
import { readFrame } from '../../src/wire/read.ts'

const read = (frame: unknown, minor?: number) => readFrame(JSON.stringify(frame), 8, minor)
const read10 = (frame: unknown) => read(frame, 0)

/** Why a frame is refused, in short. */
const whyNot = (frame: unknown) => {
  const given = read(frame)
  return given.ok ? null : [given.re, given.refusal.code, given.context['path']]
}

test('names are taken with a colon and without', () => {
  expect(read({ type: 'tool_action', id: '1', tool: ':read', args: {} })).toEqual({
    ok: true,
    frame: { type: 'tool_action', id: '1', tool: 'read', args: {} },
  })
  expect(read({ type: 'peripheral_start', id: '1', peripheral_id: ':explore' })).toEqual({
    ok: true,
    frame: { type: 'peripheral_start', id: '1', peripheral_id: 'explore' },
  })
  expect(read({ type: 'hop', id: '1', to: ' :edit ' })).toEqual({
    ok: true,
    frame: { type: 'hop', id: '1', to: 'edit' },
  })
})

test.each([' ', '', ':', ' : ', '\t\n'])('a blank tool %j is rejected', (tool) => {
  expect(whyNot({ type: 'tool_action', id: '1', tool, args: {} })).toEqual(['1', 'frame-invalid', 'tool'])
})

test.each([
  [{ path: 'a' }, { path: 'a' }],
  [[{ path: 'a' }], { path: 'a' }],
  [[], {}],
  [undefined, undefined],
])('the arguments %j are taken as %j', (args, taken) => {
  const given = read({ type: 'tool_action', id: '1', tool: 'read', args })
  expect(given.ok && given.frame.type === 'tool_action' && { args: given.frame.args }).toEqual({ args: taken })
})

test.each([['a'], 'a', 7, true, [{}, {}], [['a']], [[]]].map((args) => [args]))(
  'the arguments %j are rejected',
  (args) => {
    expect(whyNot({ type: 'tool_action', id: '1', tool: 'read', args })).toEqual(['1', 'frame-invalid', 'args'])
  },
)

test('a result is a result or an error, and not both', () => {
  const frame = { type: 'invoke_result', id: '1', invoke_id: 'm.scout' }
  expect(read({ ...frame, result: 'x' }).ok).toBe(true)
  expect(read({ ...frame, error: 'x' }).ok).toBe(true)
  expect(whyNot(frame)).toEqual(['1', 'frame-invalid', ''])
  expect(whyNot({ ...frame, result: 'x', error: 'y' })).toEqual(['1', 'frame-invalid', ''])
})

test('what is not known in a frame is an error, but in hello, where the version is not agreed on yet', () => {
  expect(whyNot({ type: 'ping', id: '1', more: 1 })).toEqual(['1', 'frame-invalid', ''])
  expect(read({ type: 'hello', id: '1', protocol: '1.7', more: 1 })).toEqual({
    ok: true,
    frame: { type: 'hello', id: '1', protocol: '1.7' },
  })
})

test('a frame that came with a later version is not there before it', () => {
  expect(read({ type: 'tools', id: '1' }).ok).toBe(true)
  expect(read10({ type: 'tools', id: '1' })).toMatchObject({
    re: '1',
    refusal: { code: 'frame-invalid', message: 'there is tools since 1.1: say so in hello' },
  })
})

test('only an id that is one is given back', () => {
  for (const id of [undefined, 1, '', 'a.b', 'x'.repeat(65), null, '__proto__ ', {}])
    expect(whyNot({ type: 'ping', id })?.[0]).toBe(null)
  expect(whyNot({ type: 'levitate', id: 'a' })?.[0]).toBe('a')
})

test('what is no object, or is nested too deep, is no frame', () => {
  for (const text of ['', 'null', '[]', '7', '"ping"', '{', '{"type":"ping"', '\u0000'])
    expect(readFrame(text, 8)).toMatchObject({ ok: false, re: null, refusal: { code: 'frame-invalid' } })
  const nested = (depth: number) => ({
    type: 'tool_action',
    id: '1',
    tool: 'read',
    args: JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
  })
  expect(read(nested(7)).ok).toBe(true)
  expect(read(nested(8))).toMatchObject({
    re: '1',
    refusal: { message: 'a frame may be nested 8 deep, and no deeper' },
  })
  expect(readFrame('['.repeat(300_000), 8).ok).toBe(false)
  expect(readFrame(`{"a":${'['.repeat(300_000)}${']'.repeat(300_000)}}`, 8).ok).toBe(false)
})
