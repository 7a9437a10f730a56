import { describe, expect, test } from 'vitest'
import { boundThreads } from '../../src/evidence/bindings.ts'
import { startDraft } from '../../src/evidence/threads.ts'
import { LOBBY, QUIET, ready } from '../support/social.ts'
import { ADA, must } from '../support/store.ts'
import { type Asking, atHome, openAsking, sender } from './asking.ts'

const OPS = { ...QUIET, id: 'ops' }
const ROOMS = [LOBBY, QUIET, OPS]
const HOME = atHome('ada', 'operator')

const written = async ({ store }: Asking) =>
  must(await store.query({ order: 'oldest' })).entries.map(({ subject, author, body }) => [subject.id, author.id, body])

/** A thread of a room, with codex-1. */
const begin = async ({ store }: Asking, thread: string, room: string) => {
  const begun = { thread, agent: 'codex-1', name: '', room, mode: 'execute', from: null } as const
  must(await store.append([startDraft(begun, ADA)]))
}

describe('a room', () => {
  test('is gated and ungated, by whom is written down, and what is so already is not said twice', async () => {
    await using it = await openAsking()
    expect([
      await it.answer('gate', HOME, 'lobby'),
      await it.answer('gate', HOME, 'lobby'),
      await it.answer('ungate codex-1', HOME, 'lobby'),
      await it.answer('ungate', HOME, 'lobby'),
    ]).toEqual([
      'in lobby agents hear what names them, and nothing else',
      'in lobby agents hear what names them, and nothing else',
      'in lobby codex-1 hears what is addressed to nobody',
      'in lobby claude-1 hears what is addressed to nobody',
    ])
    expect(await written(it)).toEqual(
      ['nobody', 'codex-1', 'claude-1'].map((to) => ['lobby', 'ada', { event: 'room-set', setting: 'listener', to }]),
    )
  })

  test('is ungated for the agent of the room or the thread, for the only one, or for whom one names', async () => {
    await using it = await openAsking()
    await begin(it, 't-1', 'lobby')
    await using alone = await openAsking({ change: { who: async () => [ready('codex-2')] } })
    expect([
      await it.answer('ungate', HOME, 't-1'),
      await it.answer('ungate', HOME, 'quiet'),
      await alone.answer('ungate', HOME, 'quiet'),
      await it.answer('ungate nobody-here', HOME, 'quiet'),
    ]).toEqual([
      'in t-1 codex-1 hears what is addressed to nobody',
      'command-invalid: say who is to listen, of claude-1, codex-1, codex-2; usage: /ungate AGENT',
      'in quiet codex-2 hears what is addressed to nobody',
      'agent-unknown: there is no agent nobody-here; there is claude-1, codex-1, codex-2, nobody, default',
    ])
  })

  test('shows how it is set, and is set; default is as the config says', async () => {
    await using it = await openAsking()
    const onIrc = await it.fromNetwork(sender({ account: 'ada' }), 'lobby')
    expect([
      await it.answer('settings', HOME, 'lobby'),
      await it.answer('settings', onIrc, 'lobby'),
      await it.answer('settings show all', HOME, 'lobby'),
      await it.answer('settings listener nobody', HOME, 'lobby'),
      await it.answer('settings', HOME, 'lobby'),
      await it.answer('settings show default', HOME, 'lobby'),
      await it.answer('settings listener default', HOME, 'lobby'),
    ]).toEqual([
      'listener is claude-1, as the config says\nshow is normal, as the config says\nbulletins is off, as the config says',
      'listener is nobody, as the config says\nshow is normal, as the config says\nbulletins is off, as the config says',
      'show is all',
      'listener is nobody',
      'listener is nobody\nshow is all\nbulletins is off, as the config says',
      'show is normal, as the config says',
      'listener is claude-1, as the config says',
    ])
    expect(await written(it)).toEqual(
      [
        ['show', 'all'],
        ['listener', 'nobody'],
        ['show', null],
        ['listener', null],
      ].map(([setting, to]) => ['lobby', 'ada', { event: 'room-set', setting, to }]),
    )
  })

  test('is told how things stand, or is not, as its people want it', async () => {
    await using it = await openAsking()
    expect([
      await it.answer('settings bulletins on', HOME, 'lobby'),
      await it.answer('settings bulletins off', HOME, 'lobby'),
      await it.answer('settings bulletins default', HOME, 'lobby'),
    ]).toEqual(['bulletins is on', 'bulletins is off', 'bulletins is off, as the config says'])
  })

  test.each([
    ['settings bulletins loud', 'command-invalid: bulletins is on, off, default, and not loud'],
    ['settings show loud', 'command-invalid: show is quiet, normal, all, default, and not loud'],
    [
      'settings listener grace',
      'agent-unknown: there is no agent grace; there is claude-1, codex-1, codex-2, nobody, default',
    ],
    [
      'settings volume 11',
      'command-invalid: setting: expected listener, show or bulletins; usage: /settings [setting] [value]',
    ],
  ])('is not set by "%s"', async (text, answer) => {
    await using it = await openAsking()
    expect([await it.answer(text, HOME, 'lobby'), await written(it)]).toEqual([answer, []])
  })

  test('is needed: settings belong to one', async () => {
    await using it = await openAsking()
    const asked = ['settings', 'gate', 'ungate claude-1', 'watch lobby'].map((text) => it.ask(text, HOME, null))
    expect((await Promise.all(asked)).map((answer) => answer.ok || answer.refusal.code)).toEqual(
      Array(4).fill('room-unknown'),
    )
  })
})

describe('a room watches another', () => {
  test('until it is told otherwise, and its settings say so', async () => {
    await using it = await openAsking({ rooms: ROOMS })
    await begin(it, 't-1', 'lobby')
    expect([
      await it.answer('watch lobby', HOME, 'quiet'),
      await it.answer('watch lobby', HOME, 'quiet'),
      await it.answer('watch t-1', HOME, 'quiet'),
      await it.answer('settings show', HOME, 'quiet'),
      await it.answer('unwatch lobby', HOME, 'quiet'),
      await it.answer('unwatch t-1', HOME, 'quiet'),
      await it.answer('unwatch nowhere', HOME, 'quiet'),
    ]).toEqual([
      'quiet watches lobby',
      'quiet watches lobby',
      'quiet watches lobby, t-1',
      'show is normal, as the config says\nquiet watches lobby, t-1',
      'quiet watches t-1',
      'quiet watches no other room',
      'quiet watches no other room',
    ])
    expect((await written(it)).slice(1)).toEqual(
      [
        { event: 'watch-set', watched: 'lobby', on: true },
        { event: 'watch-set', watched: 't-1', on: true },
        { event: 'watch-set', watched: 'lobby', on: false },
        { event: 'watch-set', watched: 't-1', on: false },
      ].map((body) => ['quiet', 'ada', body]),
    )
  })

  test('and not itself, nor what is not there', async () => {
    await using it = await openAsking({ rooms: ROOMS })
    expect([await it.answer('watch quiet', HOME, 'quiet'), await it.answer('watch t-9', HOME, 'quiet')]).toEqual([
      'command-invalid: quiet is this room: name another',
      'room-unknown: there is no room t-9; there is lobby, quiet, ops, and /threads',
    ])
  })

  test('only where whoever asks could look themselves', async () => {
    const networks = {
      libera: { kind: 'irc', host: 'irc.example', role: 'operator', channels: { '#a': 'lobby', '#b': 'quiet' } },
    }
    const people = {
      ada: { roles: { ops: 'viewer' }, accounts: ['libera/ada'] },
      grace: { roles: { libera: 'admin' }, accounts: ['libera/grace'] },
    }
    await using it = await openAsking({ rooms: ROOMS, networks, people })
    await begin(it, 't-1', 'ops')
    const tell = async (account: string, watched: string) =>
      it.answer(`watch ${watched}`, await it.fromNetwork(sender({ account }), 'lobby'), 'lobby')
    expect([
      await tell('eve', 'ops'),
      await tell('grace', 't-1'),
      await tell('eve', 'quiet'),
      await tell('ada', 'ops'),
      await tell('ada', 't-1'),
    ]).toEqual([
      'role-too-low: to watch it needs the role viewer in ops; you have none there',
      'role-too-low: to watch it needs the role viewer in t-1; you have none there',
      'lobby watches quiet',
      'lobby watches quiet, ops',
      'lobby watches quiet, ops, t-1',
    ])
  })
})

test('a thread of a room where somebody may do nothing is neither forked nor put away by them', async () => {
  const people = { ada: { roles: { lobby: 'operator', ops: 'viewer' }, accounts: ['libera/ada'] } }
  await using it = await openAsking({ rooms: ROOMS, people })
  await begin(it, 't-1', 'ops')
  const before = await written(it)
  const ada = await it.fromNetwork(sender({ account: 'ada' }), 'lobby')
  expect([
    await it.answer('fork t-1', ada, 'lobby'),
    await it.answer('archive t-1', ada, 'lobby'),
    await it.answer('unarchive t-1', ada, 'lobby'),
    await written(it),
  ]).toEqual([
    'role-too-low: to fork it needs the role operator in t-1; you are viewer there',
    'role-too-low: to put it away or take it out needs the role operator in t-1; you are viewer there',
    'role-too-low: to put it away or take it out needs the role operator in t-1; you are viewer there',
    before,
  ])
})

describe('a channel', () => {
  test('is bound to a thread, which is written down there', async () => {
    await using it = await openAsking()
    await begin(it, 't-1', 'lobby')
    expect(await it.answer('bind t-1 libera #release', HOME, 'quiet')).toBe('#release on libera leads to t-1')
    expect((await written(it)).slice(1)).toEqual([
      ['t-1', 'ada', { event: 'thread-bound', thread: 't-1', network: 'libera', channel: '#release' }],
    ])
    expect(await boundThreads(it.store, 'libera')).toEqual([{ channel: '#release', thread: 't-1', since: 2 }])
  })

  test.each([
    ['t-9 libera #release', 'thread-unknown: there is no thread t-9'],
    ['t-1 oftc #release', 'network-unknown: there is no network oftc; there is libera, guild'],
    ['t-1 constructor #release', 'network-unknown: there is no network constructor; there is libera, guild'],
    ['t-1 libera #TEAM', 'command-invalid: #TEAM leads to lobby, as the config says: choose another'],
    ['t-1 libera ada', 'command-invalid: ada is no channel of libera: expected one such as "#team"'],
    [
      't-1 guild #team',
      'command-invalid: #team is no channel of guild: expected its number, such as "1234567890123456789"',
    ],
    [
      't-1 libera "#a b"',
      'command-invalid: channel: expected the name of a channel, such as "#team"; usage: /bind THREAD NETWORK CHANNEL',
    ],
  ])('is not bound by "bind %s"', async (text, answer) => {
    await using it = await openAsking()
    await begin(it, 't-1', 'lobby')
    expect([await it.answer(`bind ${text}`, HOME, 'quiet'), await boundThreads(it.store, 'libera')]).toEqual([
      answer,
      [],
    ])
  })

  test('is not bound to a thread of a room where somebody may do nothing', async () => {
    const people = { ada: { roles: { lobby: 'operator', ops: 'viewer' }, accounts: ['libera/ada'] } }
    await using it = await openAsking({ rooms: ROOMS, people })
    await begin(it, 't-1', 'ops')
    await begin(it, 't-2', 'lobby')
    const ada = await it.fromNetwork(sender({ account: 'ada' }), 'lobby')
    expect([
      await it.answer('bind t-1 libera #release', ada, 'lobby'),
      await it.answer('bind t-2 libera #release', ada, 'lobby'),
    ]).toEqual([
      'role-too-low: to bind it needs the role operator in t-1; you are viewer there',
      '#release on libera leads to t-2',
    ])
  })

  test('is not taken from a thread of a room where somebody may do nothing', async () => {
    const people = { ada: { roles: { lobby: 'operator', ops: 'viewer' }, accounts: ['libera/ada'] } }
    await using it = await openAsking({ rooms: ROOMS, people })
    await begin(it, 't-1', 'ops')
    await begin(it, 't-2', 'lobby')
    const ada = await it.fromNetwork(sender({ account: 'ada' }), 'lobby')
    expect([
      await it.answer('bind t-1 libera #release', HOME, 'ops'),
      await it.answer('bind t-2 libera #Release', ada, 'lobby'),
      (await boundThreads(it.store, 'libera')).map(({ channel, thread }) => [channel, thread]),
    ]).toEqual([
      '#release on libera leads to t-1',
      'role-too-low: to take #Release from t-1 needs the role operator in t-1; you are viewer there',
      [['#release', 't-1']],
    ])
  })

  test('and a thread lead to each other alone: the last binding holds', async () => {
    await using it = await openAsking({ rooms: ROOMS })
    for (const thread of ['t-1', 't-2']) await begin(it, thread, 'lobby')
    for (const text of ['t-1 libera #one', 't-2 libera #two', 't-1 libera #three', 't-2 libera #THREE'])
      await it.answer(`bind ${text}`, HOME, 'lobby')
    expect((await boundThreads(it.store, 'libera')).map(({ channel, thread }) => [channel, thread])).toEqual([
      ['#THREE', 't-2'],
    ])
  })
})
