import { describe, expect, test } from 'vitest'
import { givenBy } from '../../src/config/given.ts'
import { explainHouse, loadHouse } from '../../src/config/load.ts'
import { scratch } from '../support/folder.ts'
import { CONFIG, complaint } from './complaint.ts'

const DEFAULTS = loadHouse(CONFIG, null).config
const load = (variables: Record<string, string>, file: string | null = null) =>
  loadHouse(CONFIG, file, { variables }).config
const wrong = (variables: Record<string, string>, file: string | null = null) => complaint(() => load(variables, file))

describe('keys of the config by variables', () => {
  test.each([
    ['a plain value, in any case', { BELLHOP__DRAINMS: '30000' }, { ...DEFAULTS, drainMs: 30_000 }],
    ['the same as it is written in files', { BELLHOP__drainMs: '30000' }, { ...DEFAULTS, drainMs: 30_000 }],
    [
      'a list, which is given whole',
      { BELLHOP__HTTP__HOSTS: '["chat.example.org"]' },
      { ...DEFAULTS, http: { ...DEFAULTS.http, hosts: ['chat.example.org'] } },
    ],
    [
      'a part and a key in it, of which the inner one holds',
      { BELLHOP__HTTP__PORT: '81', BELLHOP__HTTP: '{ host: 0.0.0.0, port: 80 }' },
      { ...DEFAULTS, http: { ...DEFAULTS.http, host: '0.0.0.0', port: 81 } },
    ],
    [
      'names that the user chose',
      {
        BELLHOP__PEOPLE__ada__ROLE: 'approver',
        BELLHOP__CHECKS__LINT: '[npm, run, lint]',
        BELLHOP__NETWORKS__HOME__KIND: 'discord',
        BELLHOP__NETWORKS__HOME__TOKEN: 'DISCORD_TOKEN',
        BELLHOP__NETWORKS__HOME__CHANNELS: '{ "1234567890123456789": lobby }',
      },
      {
        ...DEFAULTS,
        people: { ada: { role: 'approver', roles: {}, accounts: [] } },
        checks: { lint: ['npm', 'run', 'lint'] },
        rooms: [
          { id: 'lobby', faces: ['web', 'terminal', 'cli', 'api', 'discord'], mode: 'diagnose', listener: 'claude-1' },
        ],
        networks: {
          home: {
            kind: 'discord',
            token: 'DISCORD_TOKEN',
            content: true,
            groups: {},
            role: null,
            bots: [],
            channels: { '1234567890123456789': 'lobby' },
          },
        },
      },
    ],
    ['nothing where a variable is empty', { BELLHOP__SWEEPMS: '' }, DEFAULTS],
    ['nothing of other variables', { BELLHOP_SERVICE_HOST: '10.0.0.1', BELLHOPPER: 'x' }, DEFAULTS],
    ['null, where a key can be that', { BELLHOP__PROFILE: 'null' }, DEFAULTS],
  ])('set %s', (_what, variables, expected) => {
    expect(load(variables)).toEqual(expected)
  })

  test('hold over the file, and under what is given by an option', () => {
    using folder = scratch()
    const file = folder.write('mine.yaml', 'sweepMs: 250\nhttp: { port: 1, host: 0.0.0.0 }\n')
    const given = { port: 3, variables: { BELLHOP__HTTP__PORT: '2', BELLHOP__HTTP__HOST: '::1' } }
    const { config, from } = explainHouse(CONFIG, file, given)
    expect(config).toEqual({ ...DEFAULTS, sweepMs: 250, http: { ...DEFAULTS.http, host: '::1', port: 3 } })
    expect([['sweepMs'], ['http', 'host'], ['http', 'port'], ['drainMs'], ['rooms']].map(from)).toEqual([
      `${file}:1`,
      'BELLHOP__HTTP__HOST',
      '--port',
      'default',
      'default',
    ])
  })

  test.each([
    [
      { BELLHOP__DRIANMS: '1' },
      { message: 'BELLHOP__DRIANMS is no key of the config', fix: 'did you mean BELLHOP__DRAINMS?' },
    ],
    [
      { BELLHOP__HTTP__PROT: '1' },
      { message: 'BELLHOP__HTTP__PROT is no key of the config', fix: 'did you mean BELLHOP__HTTP__PORT?' },
    ],
    [
      { BELLHOP__LEASE__COLOUR: 'blue' },
      { message: 'BELLHOP__LEASE__COLOUR is no key of the config', fix: 'keys here are ms, heartbeatMs' },
    ],
    [
      { BELLHOP__HTTP__HOSTS__0: 'a' },
      {
        message: 'BELLHOP__HTTP__HOSTS__0 is no key of the config',
        fix: 'a list or a plain value is given whole: end the name before this part',
      },
    ],
    [
      { BELLHOP__HTTP__PORT: 'seventy' },
      {
        message: 'BELLHOP__HTTP__PORT: http.port: Invalid input: expected number, received string',
        fix: 'correct the variable and start again',
      },
    ],
    [
      { BELLHOP__HTTP: '{ prot: 1 }' },
      {
        message: 'BELLHOP__HTTP: http.prot: Unrecognized key: "prot"',
        fix: 'correct the variable and start again',
      },
    ],
    [
      { BELLHOP__HTTP__HOSTS: '[a' },
      {
        message: 'BELLHOP__HTTP__HOSTS: Flow sequence must end with a ]',
        fix: 'give a value as it would stand in the file, such as 8080, true, name or ["a", "b"]',
      },
    ],
    [
      { BELLHOP__LEASE__MS: '1000' },
      {
        message: 'BELLHOP__LEASE__MS: lease.heartbeatMs: expected at most half of lease.ms, which is 1000',
        fix: 'correct the variable and start again',
      },
    ],
    [
      { BELLHOP__AGENTS: '[{ id: codex-1, type: codex, peripheral: edit }]' },
      {
        message: 'BELLHOP__AGENTS: rooms.0.listener: expected one of the agents codex-1, or null',
        fix: 'correct the variable and start again',
      },
    ],
    [
      { BELLHOP__sweepMs: '100', BELLHOP__SWEEPMS: '200' },
      { message: 'BELLHOP__sweepMs and BELLHOP__SWEEPMS both set sweepMs', fix: 'leave one of them out' },
    ],
  ])('that are wrong are told by their names: %j', (variables, expected) => {
    expect(wrong(variables)).toEqual(expected)
  })

  test('are not blamed for what the file says', () => {
    using folder = scratch()
    const file = folder.write('mine.yaml', 'http:\n  port: seventy\n')
    expect(wrong({ BELLHOP__HTTP__HOST: '::1' }, file)).toEqual({
      message: `${file}:2: http.port: Invalid input: expected number, received string`,
      fix: 'correct the file and start again',
    })
  })

  test('and the variable of the same option are not both given', () => {
    const given = { port: 1, from: { port: 'BELLHOP_PORT' }, variables: { BELLHOP__HTTP__PORT: '2' } }
    expect(complaint(() => loadHouse(CONFIG, null, given))).toEqual({
      message: 'BELLHOP_PORT and BELLHOP__HTTP__PORT both set http.port',
      fix: 'leave one of them out',
    })
  })
})

describe('options', () => {
  const variables = {
    BELLHOP_WORKSPACE: '/w',
    BELLHOP_DATA: '/d',
    BELLHOP_CONFIG: '/c.yaml',
    BELLHOP_HOST: '::1',
    BELLHOP_PORT: '81',
    BELLHOP_VERBOSE: '1',
  }

  test('each have a variable, and are told by which of the two they were given', () => {
    expect(givenBy({ data: '/flag', port: 0 }, variables)).toEqual({
      workspace: '/w',
      data: '/flag',
      config: '/c.yaml',
      host: '::1',
      port: 0,
      verbose: true,
      from: {
        workspace: 'BELLHOP_WORKSPACE',
        data: '--data',
        config: 'BELLHOP_CONFIG',
        host: 'BELLHOP_HOST',
        port: '--port',
        verbose: 'BELLHOP_VERBOSE',
      },
    })
  })

  test('that nobody gave are not there, and an empty variable is none', () => {
    const nothing = { workspace: undefined, data: undefined, config: undefined, host: undefined, port: undefined }
    expect(givenBy({}, { BELLHOP_DATA: '', BELLHOP_PORT: '' })).toEqual({
      ...nothing,
      verbose: undefined,
      queues: undefined,
      workers: undefined,
      from: {},
    })
  })

  test.each([
    [{ BELLHOP_PORT: 'tcp://10.0.0.1:7070' }, 'BELLHOP_PORT=tcp://10.0.0.1:7070 is not understood'],
    [{ BELLHOP_PORT: '65536' }, 'BELLHOP_PORT=65536 is not understood'],
    [{ BELLHOP_WORKERS: '0' }, 'BELLHOP_WORKERS=0 is not understood'],
    [{ BELLHOP_QUEUES: 'turns,other' }, 'BELLHOP_QUEUES=turns,other is not understood'],
    [{ BELLHOP_VERBOSE: 'maybe' }, 'BELLHOP_VERBOSE=maybe is not understood'],
  ])('with a value that is none are told: %j', (given, message) => {
    expect(complaint(() => givenBy({}, given)).message).toBe(message)
  })
})
