import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { refused } from '../../src/shapes/result.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'

let house: TestHouse
const use = (tool: string, args: object) => `use ${tool} ${JSON.stringify(args)}`

beforeAll(async () => {
  house = await startTestHouse()
  for (const [id, text] of [
    ['looked', '@claude read README.md'],
    ['missed', '/explore @codex use read {"path": "nothing.txt"}'],
    ['refused', `/explore @codex ${use('write', { path: 'x.txt', text: 'x' })}`],
    ['hopped', '@codex replace "It pours" with "It poured" in README.md, then run the tests'],
  ] as const) {
    must(await client().say({ id, room: 'quiet', text }))
    await eventually('it to end', () => house.store.get(`${id}.${id === 'looked' ? 'claude-1' : 'codex-1'}.ended`))
  }
})
afterAll(() => house[Symbol.asyncDispose]())

const client = () => createClient({ url: house.url, token: house.tokens.admin, face: 'cli' })
const stepsOf = async (turn: string) => must(await client().ask('steps', { turn })).steps

describe('steps', () => {
  test('are there once each, with the call, the outcome and the times', async () => {
    const [step, ...more] = await stepsOf('looked.claude-1')
    const [intended, ended] = [
      await house.store.get('looked.claude-1.0.intent'),
      await house.store.get('looked.claude-1.0.outcome'),
    ]
    expect([step, more]).toEqual([
      {
        step: 'looked.claude-1.0',
        turn: 'looked.claude-1',
        session: intended?.session,
        agent: 'claude-1',
        call: { tool: 'read', args: { path: 'README.md', from: 1, lines: 61 } },
        state: 'ok',
        refusal: null,
        outcome: ended?.body.event === 'step-ended' ? ended.body.outcome : null,
        began: intended?.at,
        ended: ended?.at,
      },
      [],
    ])
  })

  test('that failed and that were refused say why', async () => {
    const [missed] = await stepsOf('missed.codex-1')
    const [barred] = await stepsOf('refused.codex-1')
    expect([missed?.state, missed?.outcome?.kind, missed?.refusal]).toEqual(['failed', 'failed', null])
    expect([barred?.state, barred?.outcome, barred?.refusal?.code, barred?.call]).toEqual([
      'refused',
      null,
      'tool-not-allowed',
      { tool: 'write', args: { path: 'x.txt', text: 'x' } },
    ])
  })

  test('come newest first, as many as are wanted, of a session, and with a tool', async () => {
    const all = must(await client().ask('steps', { limit: 200 })).steps
    expect(all.map(({ began }) => began)).toEqual(
      all
        .map(({ began }) => began)
        .sort()
        .reverse(),
    )
    expect(new Set(all.map(({ step }) => step)).size).toBe(all.length)
    expect(must(await client().ask('steps', { limit: 2 })).steps).toEqual(all.slice(0, 2))
    const session = all.at(-1)?.session ?? ''
    expect(must(await client().ask('steps', { session })).steps).toEqual(all.filter((one) => one.session === session))
    expect(must(await client().ask('steps', { tool: 'read' })).steps).toEqual(
      all.filter(({ call }) => call.tool === 'read'),
    )
  })

  test('of a turn that is not there are refused', async () => {
    expect(await client().ask('steps', { turn: 'nothing' })).toEqual(
      refused(refusal('turn-unknown', 'there is no turn nothing')),
    )
  })

  test('read in a room as one line each', async () => {
    const { answer } = must(await client().say({ room: 'quiet', text: '/steps turn=refused.codex-1' }))
    expect(answer).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}codex-1 {2}refused: write \{"path":"x.txt","text":"x"\}: .* \[refused\.codex-1\.0\]$/,
    )
  })
})

describe('hops', () => {
  test('say from where to where, when, and on which condition', async () => {
    const stop = must(await house.store.query({ event: 'peripheral-stopped', peripheral: 'test' })).entries.find(
      ({ body }) => body.event === 'peripheral-stopped' && body.to === 'test',
    )
    const { hops } = must(await client().ask('hops'))
    expect(hops).toEqual([
      {
        step: stop?.id.replace('.stopped', ''),
        turn: 'hopped.codex-1',
        session: stop?.session,
        agent: 'codex-1',
        from: 'edit',
        to: 'test',
        when: 'changed',
        at: stop?.at,
      },
    ])
    expect(must(await client().ask('hops', { session: 's-nothing' })).hops).toEqual([])
    const { answer } = must(await client().say({ room: 'quiet', text: '/hops' }))
    expect(answer).toBe(
      `${stop?.at.slice(0, 10)} ${stop?.at.slice(11, 19)}  codex-1  edit to test (changed) [${hops[0]?.step}]`,
    )
  })
})
