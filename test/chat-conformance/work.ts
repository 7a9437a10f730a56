import { expect, test } from 'vitest'
import type { Post } from '../../src/shapes/post.ts'
import type { TurnView } from '../../src/shapes/turn-view.ts'
import { poll, seenWith } from './seen.ts'
import type { Check, Stage } from './suite.ts'

const STEPS = 12
const agent: Post['author'] = { kind: 'agent', id: 'claude-1', face: 'worker', via: null }

/** How many messages the work on one line may take, besides its answer, where they cannot be changed. */
const FEW = 4

/** What is told of a turn while it runs. */
export const checkWork = ({ stage, word }: Check): void => {
  test('the work on a line is shown without flooding the room: changed in place, or in a few lines', async () => {
    const { capabilities, house, person } = stage()
    const what = word('work')
    await person.says(`@claude-1 ${what}`)
    await poll(() => house.heard.filter(({ text }) => text.includes(what)).length).toBe(1)
    const id = house.heard.at(-1)?.id ?? ''
    const before = (await person.sees()).length
    const turn = createTurn(stage(), `${id}.claude-1`)
    const isNew = async () => (await person.sees()).slice(before)

    turn.accept()
    turn.begin()
    for (let index = 0; index < STEPS / 2; index++) turn.step(index)
    await poll(async () => (await isNew()).length).toBeGreaterThan(0)
    await house.delivered()
    const midway = (await isNew()).join('\n')
    for (let index = STEPS / 2; index < STEPS; index++) turn.step(index)
    const answer = word('answer')
    turn.end(answer)
    await poll(async () => (await seenWith(person, answer)).length).toBe(1)
    await house.delivered()

    const told = (await isNew()).filter((text) => !text.includes(answer))
    // Whoever reads a room along, alone, is shown every step; a channel of many people is not.
    const most = house.delivers() || capabilities.edits ? FEW : FEW + STEPS
    expect(told.length).toBeLessThanOrEqual(most)
    if (capabilities.edits) await poll(async () => (await isNew()).join('\n').startsWith(midway)).toBe(false)
  })
}

/** A turn of many steps, as posts and as the view that cards are made of. */
const createTurn = ({ house }: Stage, id: string) => {
  const of = { author: agent, session: 's1', turn: id }
  let view: TurnView = {
    turn: id,
    session: 's1',
    room: house.room,
    agent: 'claude-1',
    peripheral: 'explore',
    by: 'ada',
    request: 'look',
    state: 'accepted',
    detail: '',
    ahead: 0,
    steps: { taken: 0, failed: 0, refused: 0 },
    approval: null,
    accepted: '2026-03-01T12:00:00.000Z',
    started: null,
    ended: null,
  }
  const change = (part: Partial<TurnView>): void => {
    view = { ...view, ...part }
    house.turn(view)
  }
  return {
    accept: () => {
      house.post({ ...of, kind: 'accepted', text: 'claude-1 has it, in explore' })
      change({})
    },
    begin: () => {
      house.post({ ...of, kind: 'working', text: 'is at work' })
      change({ state: 'running', started: '2026-03-01T12:00:01.000Z' })
    },
    step: (index: number) => {
      const step = `${id}.${index}`
      house.post({ ...of, kind: 'step', text: `read {"path":"src/${index}.ts"}`, step: { id: step, state: 'running' } })
      house.post({ ...of, kind: 'step', text: 'read: 3 lines\na\nb\nc', step: { id: step, state: 'ok' } })
      change({ detail: `read src/${index}.ts`, steps: { taken: index + 1, failed: 0, refused: 0 } })
    },
    end: (answer: string) => {
      house.post({ ...of, kind: 'answer', text: answer })
      change({ state: 'done', detail: `${STEPS} steps`, ended: '2026-03-01T12:00:09.000Z' })
    },
  }
}
