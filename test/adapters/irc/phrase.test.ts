import { expect, test } from 'vitest'
import { createIntake } from '../../../adapters/irc/intake.ts'
import { phrase } from '../../../adapters/irc/phrase.ts'
import type { Spot } from '../../../src/chat/outlet.ts'
import type { Post } from '../../../src/shapes/post.ts'
import { calm } from '../../bulletins/situations.ts'
import { eventually } from '../../support/poll.ts'
import { POST } from './stage.ts'

const SPOT: Spot = { channel: '#team', room: 'lobby', watched: false, show: 'normal' }
const ADA: Post['author'] = { kind: 'person', id: 'ada', face: 'web', via: null }
const HOUSE: Post['author'] = { kind: 'house', id: 'bellhop', face: 'house', via: null }
const STEP = { id: 's', state: 'ok' as const }

/** What a channel is told, on one line: to whom, from where, by whom. */
const told = (post: Partial<Post>, spot: Partial<Spot> = {}): string | null => {
  const options = { network: 'net', commands: [{ name: 'who', aliases: ['w'] }], askerOf: () => 'ada' }
  const body = phrase({ ...POST, ...post }, { ...SPOT, ...spot }, options)
  return body && `${body.lead}|${body.by ?? ''}|${body.to ?? ''}|${body.text}`
}

test.each<[string, Partial<Post>, string | null]>([
  ['an answer of an agent', { text: 'it is\n**here**' }, '|claude-1|ada|it is\n**here**'],
  [
    'an answer of the house',
    { author: HOUSE, text: 'say /who, not /etc/who or w/who' },
    '||ada|say !who, not /etc/who or w/who',
  ],
  [
    'a refusal',
    { kind: 'refusal', author: HOUSE, text: 'no such agent [agent-unknown]\nsay /who' },
    '||ada|no such agent; say !who',
  ],
  [
    'that work was taken',
    { kind: 'accepted', author: ADA, text: 'claude-1 has it, in explore' },
    '||ada|claude-1 has it, in explore',
  ],
  ['what an agent says on the way', { kind: 'aside', text: 'a\nb' }, '|claude-1||a b'],
  ['what happened', { kind: 'notice', author: HOUSE, text: 'gone' }, '|||gone'],
  ['what was said elsewhere', { kind: 'said', author: ADA, text: '!op me\nplease' }, '<ada@web> |||!op me\nplease'],
  ['what was said here', { kind: 'said', author: ADA, id: 'net~x', text: 'hello' }, null],
  ['a step', { kind: 'step', step: STEP, text: 'read: 3 lines' }, null],
  ['that an agent is at work', { kind: 'working', text: 'is at work' }, null],
])('of %s a channel is told what people want to read', (_, post, expected) => {
  expect(told(post)).toBe(expected)
})

test('an approval says who asks for what, and how it is answered; and then how it was', () => {
  const open = { name: 'kfwqz', state: 'open' as const, until: '12:10' }
  const asked = { kind: 'approval' as const, text: 'asks to push\nbecause', approval: open }
  expect(told(asked)).toBe('|||claude-1 asks to push; because → !approve kfwqz or !deny kfwqz, until 12:10')
  const decided = { ...asked, author: ADA, text: 'approved kfwqz', approval: { ...open, state: 'approved' as const } }
  expect(told(decided)).toBe('|||ada approved kfwqz')
})

test('a quiet room is told what it asked for, and a room that wants all of it every step that ended', () => {
  const kinds = ['answer', 'refusal', 'approval', 'said', 'accepted', 'aside', 'notice', 'working'] as const
  const shown = (show: Spot['show']) => kinds.filter((kind) => told({ kind, text: 'x' }, { show }) !== null)
  expect(shown('quiet')).toEqual(['answer', 'refusal', 'approval'])
  expect(shown('normal')).toEqual(kinds.slice(0, -1))
  expect(shown('all')).toEqual(kinds)
  const step = (state: 'running' | 'ok' | 'failed') =>
    told({ kind: 'step', step: { ...STEP, state }, text: 'read: 3 lines\na' }, { show: 'all' })
  expect([step('running'), step('ok'), step('failed')]).toEqual([
    null,
    '|claude-1||✓ read: 3 lines',
    '|claude-1||✗ failed: read: 3 lines',
  ])
})

test('what is from another room says so, and also what was said in another channel of the network', () => {
  const watched = { watched: true }
  expect(told({ room: 'ops', text: 'done' }, watched)).toBe('[ops] |claude-1||done')
  expect(told({ room: 'ops', kind: 'said', id: 'net~x', author: ADA, text: 'hi' }, watched)).toBe(
    '[ops] <ada@web> |||hi',
  )
})

test('lines wait for the house in order, no more of them than may, and none is lost without a word', async () => {
  const over = new AbortController()
  const done: string[] = []
  const lost: string[] = []
  let isThere = false
  const intake = createIntake({
    most: 3,
    signal: over.signal,
    waits: () => {},
    fellOut: ({ who }, why) => lost.push(`${who} ${why}`),
  })
  const put = (channel: string, who: string) =>
    intake.put(channel, {
      who,
      run: async () => {
        if (!isThere) throw new Error('nobody is there')
        done.push(who)
      },
    })
  for (const who of ['one', 'two', 'three', 'four']) put('#team', who)
  expect(lost).toEqual(['four full'])
  isThere = true
  await eventually('the lines to be taken', () => done.length === 3)
  expect(done).toEqual(['one', 'two', 'three'])
  isThere = false
  put('#team', 'five')
  over.abort()
  await intake.settled()
  expect(lost).toEqual(['four full', 'five over'])
})

test('how things stand is told line by line, also where a room wants to be told little', () => {
  const text = 'lobby: 1 of 1 agent ready; no work\nsay /who'
  const post = { kind: 'notice', author: HOUSE, text, bulletin: { kind: 'scheduled', situation: calm() } } as const
  expect([
    told(post),
    told(post, { show: 'quiet' }),
    told({ kind: 'notice', author: HOUSE, text }, { show: 'quiet' }),
  ]).toEqual([
    '|||lobby: 1 of 1 agent ready; no work\nsay !who',
    '|||lobby: 1 of 1 agent ready; no work\nsay !who',
    null,
  ])
})
