import { expect, test } from 'vitest'
import { loadHouse } from '../../src/config/load.ts'
import { scratch } from '../support/folder.ts'
import { CONFIG, complaint } from './complaint.ts'

const load = (text: string) => {
  using folder = scratch()
  return loadHouse(CONFIG, folder.write('mine.yaml', text)).config
}

const complaintOf = (text: string): string => {
  using folder = scratch()
  const file = folder.write('mine.yaml', text)
  return complaint(() => loadHouse(CONFIG, file)).message.replaceAll(file, 'mine.yaml')
}

const IRC = `networks:
  libera: { kind: irc, host: irc.example.org, channels: { "#team": lobby } }
`

test('an IRC network needs a host and a channel; the rest has defaults that suit a public network', () => {
  expect(load(IRC).networks).toEqual({
    libera: {
      kind: 'irc',
      host: 'irc.example.org',
      port: 6697,
      tls: true,
      nick: 'bellhop',
      nicks: 'one',
      realname: 'Bellhop, a bot',
      sasl: 'auto',
      agents: {},
      keys: {},
      lines: 5,
      flood: { burst: 4, perSecond: 0.9 },
      channels: { '#team': 'lobby' },
      role: null,
      bots: [],
    },
  })
})

test('a room that a channel leads to is open to the face, and by itself may do no more than the least trusted of them', () => {
  const open = load(IRC).rooms
  const told = load(`${IRC}rooms:\n  - { id: lobby, faces: [web], mode: execute, listener: null }\n`).rooms
  expect([open, told]).toEqual([
    [
      {
        id: 'lobby',
        faces: ['web', 'terminal', 'cli', 'api', 'irc'],
        listener: 'claude-1',
        mode: 'diagnose',
      },
    ],
    [{ id: 'lobby', faces: ['web', 'irc'], listener: null, mode: 'execute' }],
  ])
})

test('people have roles everywhere, in rooms and on networks, and accounts that are theirs', () => {
  const people = 'people:\n  ada: { role: operator, roles: { lobby: approver }, accounts: [libera/ada] }\n'
  expect(load(IRC + people).people).toEqual({
    ada: { role: 'operator', roles: { lobby: 'approver' }, accounts: ['libera/ada'] },
  })
})

test.each([
  [
    'a channel that leads nowhere',
    'networks:\n  a: { kind: irc, host: h, channels: { "#team": attic } }\n',
    'mine.yaml:2: networks.a.channels.#team: there is no room attic; there is lobby',
  ],
  [
    'two channels that lead to one room',
    'networks:\n  a: { kind: irc, host: h, channels: { "#a": lobby, "#b": lobby } }\n',
    'mine.yaml:2: networks.a.channels: two channels lead to lobby: give each a room of its own',
  ],
  [
    'no channel at all',
    'networks:\n  a: { kind: irc, host: h, channels: {} }\n',
    'mine.yaml:2: networks.a.channels: expected a channel and its room, such as "#team": lobby',
  ],
  [
    'an IRC channel without its mark',
    'networks:\n  a: { kind: irc, host: h, channels: { team: lobby } }\n',
    'mine.yaml:2: networks.a.channels.team: expected a channel such as "#team", in quotes',
  ],
  [
    'an account without a password',
    'networks:\n  a: { kind: irc, host: h, account: bellhop, channels: { "#a": lobby } }\n',
    'mine.yaml:2: networks.a.account: expected `secret` beside it: the variable with the password',
  ],
  [
    'a certificate without TLS',
    'networks:\n  a: { kind: irc, host: h, tls: false, ca: /x, channels: { "#a": lobby } }\n',
    'mine.yaml:2: networks.a.tls: certificates are for TLS, and it is off',
  ],
  [
    'EXTERNAL without a certificate',
    'networks:\n  a: { kind: irc, host: h, sasl: external, channels: { "#a": lobby } }\n',
    'mine.yaml:2: networks.a.sasl: expected `certificate` beside it: the file with ours and its key',
  ],
  [
    'a nick for an agent that is not there',
    'networks:\n  a: { kind: irc, host: h, agents: { nobody: {} }, channels: { "#a": lobby } }\n',
    'mine.yaml:2: networks.a.agents.nobody: there is no agent nobody',
  ],
  [
    'a Discord channel by its name',
    'networks:\n  a: { kind: discord, token: DISCORD_TOKEN, channels: { general: lobby } }\n',
    'mine.yaml:2: networks.a.channels: expected channels by their numbers, such as "1234567890123456789": lobby',
  ],
  [
    'a person with an agent’s name',
    `${IRC}people:\n  codex: { role: operator }\n`,
    'mine.yaml:4: people.codex: "codex" is the name of an agent',
  ],
  [
    'an account on a network that is not there',
    `${IRC}people:\n  ada: { accounts: [elsewhere/ada] }\n`,
    'mine.yaml:4: people.ada.accounts.0: there is no network elsewhere',
  ],
  [
    'an account of two people',
    `${IRC}people:\n  ada: { accounts: [libera/ada] }\n  grace: { accounts: [libera/ada] }\n`,
    "mine.yaml:5: people.grace.accounts.0: libera/ada is ada's already",
  ],
  [
    'a role in a place that is not there',
    `${IRC}people:\n  ada: { roles: { attic: admin } }\n`,
    'mine.yaml:4: people.ada.roles.attic: there is no room and no network attic',
  ],
])('%s is told with its line', (_what, text, expected) => {
  expect(complaintOf(text)).toBe(expected)
})
