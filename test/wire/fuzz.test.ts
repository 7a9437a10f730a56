import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ClientFrame } from '../../src/shapes/wire.ts'
import { eventually } from '../support/poll.ts'
import { anyText } from '../support/social.ts'
import { startWireHouse, type WireHouse } from './house.ts'
import { openAgent, openProgram, type Program } from './program.ts'

const FRAMES = process.env['BELLHOP_LONG'] ? 100_000 : 500
const SEED = 20_261_116
/** How many frames one connection sends. */
const EACH = 100

let house: WireHouse
beforeAll(async () => {
  house = await startWireHouse({ limits: { perSecond: 1_000_000, burst: 1_000_000, inFlight: 1000 } })
})
afterAll(() => house[Symbol.asyncDispose]())

const types = ClientFrame.options.map(({ shape }) => shape.type.value)

const id = fc.stringMatching(/^[A-Za-z0-9_~-]{1,12}$/)
const name = fc.constantFrom(':read', 'read', '', ' ', 'explore', ':edit', 'hop', '__proto__', 'no-such', '../x')

/** What a frame may have, right or wrong. */
const fields = fc.record(
  {
    protocol: fc.oneof(fc.constantFrom('1.0', '1.1', '9.9'), anyText),
    tool: fc.oneof(name, anyText),
    args: fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constant({ path: 'README.md' })),
    peripheral_id: fc.oneof(name, fc.jsonValue()),
    to: fc.oneof(name, fc.integer()),
    text: anyText,
    reason: anyText,
    request: anyText,
    invoke_id: anyText,
    result: anyText,
    error: anyText,
    status: fc.constantFrom('idle', 'busy', 'dead'),
    filters: fc.oneof(fc.constantFrom({}, { event: 'message' }, { limit: 1 }), fc.jsonValue()),
    after: fc.oneof(fc.integer(), fc.constant(0)),
    subscription: id,
    answer: fc.oneof(fc.constant('0'.repeat(64)), anyText),
    probes: fc.jsonValue(),
    capabilities: fc.jsonValue(),
    peripherals: fc.jsonValue(),
    token: anyText,
  },
  { requiredKeys: [] },
)

const frame = fc
  .record({ type: fc.oneof(fc.constantFrom(...types), anyText), id: fc.oneof(id, fc.jsonValue()), fields })
  .map(({ fields, ...rest }) => JSON.stringify({ ...fields, ...rest }))

/** A frame that was cut, doubled, or has something in its middle that does not belong there. */
const broken = fc
  .tuple(frame, fc.nat(), fc.oneof(anyText, fc.constantFrom('\u0000', '"', '}', '\\u')))
  .map(([text, at, thing]) => text.slice(0, at % text.length) + thing + text.slice(at % text.length))

const heavy = fc.oneof(
  fc.nat({ max: 5000 }).map((depth) => `{"type":"ping","id":"deep","x":${'['.repeat(depth)}${']'.repeat(depth)}}`),
  fc.nat({ max: 200_000 }).map((size) => JSON.stringify({ type: 'message', id: 'long', text: 'x'.repeat(size) })),
)

const anything = fc.oneof(
  { weight: 6, arbitrary: frame },
  { weight: 3, arbitrary: broken },
  { weight: 1, arbitrary: fc.oneof(anyText, heavy) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
)

/** Sends all of it; each has an answer of its own, unless the connection was ended, with a code. */
const batter = async (program: Program, frames: readonly (string | Buffer)[]): Promise<string> => {
  const before = program.told.length
  for (const one of frames) program.socket.send(one)
  const answers = () => program.told.slice(before).filter((told) => 're' in told).length
  const isOver = () => program.socket.readyState === program.socket.CLOSED
  await eventually('every frame to be answered', () => isOver() || answers() >= frames.length)
  if (isOver()) return String((await program.ended()).code)
  expect(answers()).toBe(frames.length)
  return 'answered'
}

test(`${FRAMES} frames of any kind are answered or end the connection, and the house stands`, async () => {
  const token = await house.mint({ agent: 'fuzzer' })
  const calm = await openAgent(house.url, await house.mint({ agent: 'calm' }))
  const ends = new Set<string>()
  for (let at = 0; at < FRAMES; at += EACH) {
    const program = await openAgent(house.url, token)
    ends.add(await batter(program, fc.sample(anything, { seed: SEED + at, numRuns: EACH })))
    await program.cut()
  }
  expect([...ends]).toEqual(['answered'])
  expect(await calm.ask({ type: 'ping' })).toMatchObject({ type: 'pong' })
  await calm.cut()
  await eventually('all connections to be gone', () => house.gateway().connections() === 0)
}, 3_600_000)

test('strangers may say anything: they are answered, and then sent away', async () => {
  const strangers = fc.sample(fc.array(anything, { minLength: 1, maxLength: 12 }), { seed: SEED, numRuns: 40 })
  for (const frames of strangers) {
    const program = await openProgram(house.url)
    const end = await batter(program, frames)
    expect(['answered', '1007', '1008', '1009']).toContain(end)
    await program.cut()
  }
  await eventually('all connections to be gone', () => house.gateway().connections() === 0)
})

test('a frame that is larger than any may be ends the connection with the code for that', async () => {
  const token = await house.mint({ agent: 'large' })
  await using program = await openAgent(house.url, token)
  program.socket.send('x'.repeat(1024 * 1024 + 1))
  expect((await program.ended()).code).toBe(1009)
})

test('frames that come far too fast are refused, and in the end the connection is', async () => {
  await using tight = await startWireHouse({ worker: false, limits: { perSecond: 1, burst: 5 } })
  await using program = await openAgent(tight.url, await tight.mint())
  for (let i = 0; i < 20; i++) program.send({ type: 'ping', id: `p${i}` })
  expect(await program.ended()).toEqual({ code: 1008, reason: 'frames-exceeded' })
  const refusals = program.told.slice(2).filter((frame) => frame.type === 'error')
  const [first] = refusals
  expect(refusals.filter(({ code }) => code === 'frames-exceeded').length).toBeGreaterThan(1)
  expect([first?.message, first?.context, first?.wait]).toEqual(['frames come too fast', { per_second: 1 }, 2])
})
