import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { INSTALL_MS } from '../support/cached-packages.ts'
import { call, done, notesOf, type ProgramHouse, startProgramHouse } from '../support/programs.ts'

/**
 * A house of little patience. A turn here is told that it takes long, which is one more line for the program to answer: what
 * needs a turn of one line has another house.
 */
let it: ProgramHouse
beforeAll(async () => {
  const more = 'quietSeconds: 4\n    deadlineMinutes: 0.01'
  it = await startProgramHouse({ claude: more, codex: more })
}, INSTALL_MS)
afterAll(() => it[Symbol.asyncDispose]())

describe.each(['claude', 'codex'] as const)('%s', (name) => {
  const agent = `${name}-1`
  const model = () => it.models[name]
  beforeEach(() => it.anew(name))

  test('a model that says nothing more is given up, and asked again', async () => {
    model().play(({ texts }) => (texts.at(-1)?.includes('nothing for') ? done : { do: 'hang', text: 'well' }))
    const came = await it.ask(`@${agent} try`)
    expect([came.outcome, came.answer]).toEqual(['done', 'done'])
    expect(notesOf(came).filter((note) => !note.startsWith('slow'))).toEqual([
      expect.stringMatching(
        /^retry: heard nothing more from its model \(nothing for 4 s\): tries again in \d+ ms, 1 of 1$/,
      ),
    ])
  })

  test('a turn that takes long is told so, and so is the room; it is not ended', async () => {
    let turn = ''
    model().play(async ({ nth }) => {
      if (nth < 3) return call('read', { path: 'README.md' })
      await it.until(turn, 'turn-noted')
      return done
    })
    turn = await it.say(`@${agent} take your time`)
    const came = await it.ended(turn)
    expect(came.outcome).toBe('done')
    expect(notesOf(came)[0]).toBe('slow: has been at it for 600 ms; /stop ends it')
  })
})
