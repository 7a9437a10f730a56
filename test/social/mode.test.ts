import { describe, expect, test } from 'vitest'
import { usageOf } from '../../src/operations/operation.ts'
import { operationNamed, spoken } from '../../src/operations/table.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { ok, refused } from '../../src/shapes/result.ts'
import type { Room } from '../../src/shapes/room.ts'
import { type Known, mode } from '../../src/social/mode.ts'
import { AGENTS, LOBBY, line, QUIET } from '../support/social.ts'

const ADA = { name: 'ada', role: 'admin', face: 'cli', via: null } as const
const VOCABULARY = { operations: spoken, peripherals: ['explore', 'edit'], agents: AGENTS, mostNamed: 5 }

const known = (text: string, place: Room): Known => ({
  ...line({ text, room: place.id }),
  place,
  person: ADA,
  token: null,
  grant: null,
})

const hear = (text: string, place: Room = QUIET) => mode(known(text, place), 'diagnose', VOCABULARY)

/** What the stage makes of a line: its mode and its wish, or the refusal. */
const wishOf = (text: string, place: Room = QUIET) => {
  const heard = hear(text, place)
  return heard.ok ? ok([heard.value.mode, heard.value.wish]) : heard
}

const command = (name: string, input: object) =>
  ok(['coordination', { kind: 'command', operation: operationNamed(name), input }])
const work = (agents: string[], request: string, peripheral: string | null = null) =>
  ok(['action', { kind: 'work', agents, peripheral, request }])
const TALK = ok(['coordination', { kind: 'talk' }])

test('the stage adds what the message is and what the room may do, and keeps all that came before', () => {
  expect(hear('hello')).toEqual(
    ok({ ...known('hello', QUIET), roomMode: 'diagnose', mode: 'coordination', wish: { kind: 'talk' } }),
  )
})

describe('a command', () => {
  test.each([
    ['with a slash', '/who', command('who', {})],
    ['with an exclamation mark', '!who', command('who', {})],
    ['in any letters', '/WHO', command('who', {})],
    ['after blanks and before them', '  /who  ', command('who', {})],
    ['with a word in its place', '/mode diagnose', command('mode', { to: 'diagnose' })],
    ['with a word by its name', '!mode to=diagnose', command('mode', { to: 'diagnose' })],
    ['with a word that is missing and need not be there', '/mode', command('mode', {})],
    ['with a default', '/sessions', command('sessions', { limit: 20 })],
    [
      'with a quoted word',
      '/evidence author="ada l"',
      command('evidence', { author: 'ada l', ephemeral: 'without', order: 'newest', limit: 50 }),
    ],
  ])('%s', (_how, text, wish) => {
    expect(wishOf(text)).toEqual(wish)
    expect(wishOf(text, LOBBY)).toEqual(wish)
  })

  test('every row of the table is one, by its example', () => {
    const run = spoken.filter(({ gives }) => gives === undefined)
    const heard = run.map(({ example }) => wishOf(`/${example}`))
    expect(heard).toEqual(run.map((operation) => command(operation.name, expect.any(Object))))
  })

  test('a row that is work for an agent who is not here is refused, with those who are', () => {
    // Bells and whistles are for whoever they name, and that is somebody who is here.
    const given = spoken.filter(({ name, gives }) => gives !== undefined && !['bell', 'whistle'].includes(name))
    const here = AGENTS.map(({ id }) => id).join(', ')
    expect(given.map(({ example }) => wishOf(`/${example}`))).toEqual(
      given.map(({ name }) =>
        refused(
          refusal(
            'agent-unknown',
            `/${name} is work for tickle, which is not here; there is ${here}; to have one, add an agent of the type tickle to the config`,
          ),
        ),
      ),
    )
  })

  test('a bell for somebody whom nobody knows is refused, with those who are here', () => {
    const here = AGENTS.map(({ id }) => id).join(', ')
    expect(wishOf('/bell zebra-1 query: is it done?')).toEqual(
      refused(refusal('agent-unknown', `/bell is work for zebra-1, which is not here; there is ${here}`)),
    )
  })

  test('that nobody knows is refused, with the usage of the one that was probably meant', () => {
    expect(wishOf('/mdoe execute')).toEqual(
      refused(refusal('command-unknown', 'there is no command /mdoe; did you mean /mode [to]?')),
    )
  })

  test('that is nearly a peripheral is refused with the name of it', () => {
    expect(wishOf('/explroe where is main?')).toEqual(
      refused(refusal('command-unknown', 'there is no command /explroe; did you mean /explore?')),
    )
  })

  test('that is like none is refused without a guess', () => {
    expect(wishOf('!abracadabra')).toEqual(refused(refusal('command-unknown', 'there is no command /abracadabra')))
  })

  test.each([
    ['a word too many', '/who now', 'who', '"now" is one word too many'],
    ['a word that is not one of those it takes', '/mode loud', 'mode', 'to: expected discuss, diagnose or execute'],
    ['a word that is missing', '/reset', 'reset', 'agent is missing'],
    ['a number out of bounds', '/sessions limit=0', 'sessions', 'limit: expected at least 1'],
    ['a filter nobody knows', '/evidence colour=red', 'evidence', '"colour=red" is one word too many'],
    ['one thing given twice', '/evidence author=ada author=bob', 'evidence', 'author is given twice'],
    ['one thing given in its place and by its name', '/mode discuss to=execute', 'mode', 'to is given twice'],
    ['neither of two things of which it takes one', '/verify', 'verify', 'expected a session, or "all"'],
  ])('with %s is refused, with the right usage', (_what, text, name, complaint) => {
    const row = spoken.find((operation) => operation.name === name)
    expect(wishOf(text)).toEqual(refused(refusal('command-invalid', `${complaint}; usage: /${row && usageOf(row)}`)))
  })

  test.each(['/usr/bin is a folder', '/ who', '/', '!', '!!', '/1', 'say /who'])(
    'is not "%s": that is talk',
    (text) => {
      expect(wishOf(text)).toEqual(TALK)
    },
  )
})

test('an agent that was set to listen and is not there any more keeps nobody from talking, nor from giving work', () => {
  const left = { ...LOBBY, listener: 'scout' }
  expect([wishOf('where is main?', left), wishOf('/explore where is main?', left)]).toEqual([
    TALK,
    work(['claude-1'], 'where is main?', 'explore'),
  ])
})

describe('the name of a peripheral as a command', () => {
  test.each([
    [
      'is work for the one it names',
      '/explore @codex where is main?',
      QUIET,
      work(['codex-1'], 'where is main?', 'explore'),
    ],
    [
      'is work for all it names',
      '!edit @all mend it',
      QUIET,
      work(['claude-1', 'codex-1', 'codex-2'], 'mend it', 'edit'),
    ],
    ['is work for the listener', '/edit mend it', LOBBY, work(['claude-1'], 'mend it', 'edit')],
  ])('%s', (_what, text, place, wish) => {
    expect(wishOf(text, place)).toEqual(wish)
  })

  test.each([
    ['with nothing to do', '/explore', LOBBY],
    ['with a name and nothing to do', '/explore @codex', LOBBY],
    ['for a person', '/explore @bob where is main?', LOBBY],
  ])('%s is refused with the right usage', (_what, text, place) => {
    expect(wishOf(text, place)).toEqual(refused(refusal('command-invalid', 'usage: /explore [@agent] REQUEST')))
  })

  test('for nobody is for whoever starts there, or else may be there', () => {
    expect([wishOf('/explore where is main?', QUIET), wishOf('/edit mend it', QUIET)]).toEqual([
      work(['claude-1'], 'where is main?', 'explore'),
      work(['claude-1'], 'mend it', 'edit'),
    ])
  })

  test('for a misspelt agent is refused with a hint', () => {
    expect(wishOf('/explore @cluade where is main?', LOBBY)).toEqual(
      refused(refusal('agent-unknown', 'there is no agent cluade; did you mean @claude?')),
    )
  })
})

describe('anything else', () => {
  test.each([
    [
      'is work for those it names, where nobody listens',
      '@codex @claude look',
      QUIET,
      work(['codex-1', 'claude-1'], 'look'),
    ],
    ['is work for those it names, where another listens', '@codex look', LOBBY, work(['codex-1'], 'look')],
    ['is work for the listener, when it names nobody', 'where is main?', LOBBY, work(['claude-1'], 'where is main?')],
    ['is talk where nobody listens', 'where is main?', QUIET, TALK],
    ['is talk when it is for a person, where nobody listens', '@bob lunch?', QUIET, TALK],
    ['is talk when it is for a person, where an agent listens', '@bob lunch?', LOBBY, TALK],
    [
      'is work when it is for a person and mentions an agent',
      '@bob ask @codex',
      LOBBY,
      work(['codex-1'], '@bob ask @codex'),
    ],
    ['is talk with an e-mail address', 'write to ada@claude.example', QUIET, TALK],
  ])('%s', (_what, text, place, wish) => {
    expect(wishOf(text, place)).toEqual(wish)
  })

  test.each([QUIET, LOBBY])('that begins with a misspelt name is refused with a hint, in $id', (place) => {
    expect(wishOf('@cluade look', place)).toEqual(
      refused(refusal('agent-unknown', 'there is no agent cluade; did you mean @claude?')),
    )
  })
})
