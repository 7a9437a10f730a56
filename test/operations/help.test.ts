import { describe, expect, test } from 'vitest'
import { loadPeripherals } from '../../src/config/peripherals.ts'
import { commandRows } from '../../src/operations/commands.ts'
import { spoken } from '../../src/operations/table.ts'
import { Command } from '../../src/shapes/command.ts'
import { Role } from '../../src/shapes/person.ts'
import { must } from '../support/store.ts'
import { whoami, whoamiText } from '../support/whoami.ts'
import { atHome, openAsking, sender } from './asking.ts'

const SPECS = loadPeripherals(`${import.meta.dirname}/../../config/peripherals`, null, { checks: {}, deploys: {} })
const rows = commandRows({ specs: SPECS })
const row = (name: string) => rows.find((one) => one.name === name)

describe('commands', () => {
  test('are the peripherals and the rows of the table, each once, in the shape that faces know', () => {
    const asked = spoken.map(({ name }) => name)
    expect(rows.map(({ name }) => name)).toEqual([...[...SPECS.keys()].filter((id) => !asked.includes(id)), ...asked])
    expect(rows.map((one) => Command.parse(one))).toEqual(rows)
  })

  test('that are called what a wall is take an agent and a request, too: then they are work behind it', () => {
    const { usage, works, options } = row('mission') ?? {}
    expect({ usage, works, options: options?.map(({ name, required }) => [name, required]) }).toEqual({
      usage: 'mission [action] [rest], or mission @agent REQUEST',
      works: true,
      options: [
        ['action', false],
        ['rest', false],
        ['request', false],
        ['agent', false],
      ],
    })
  })

  test('say of every option what it is, in words, and have those first that must be given', () => {
    const wordless = rows.flatMap(({ name, options }) =>
      options.filter(({ summary, name: option }) => summary === option).map((option) => `${name} ${option.name}`),
    )
    expect(wordless).toEqual([])
    const late = rows.filter(({ options }) => {
      const first = options.findIndex(({ required }) => !required)
      return first !== -1 && options.slice(first).some(({ required }) => required)
    })
    expect(late.map(({ name }) => name)).toEqual([])
  })

  test('take what their rows take: texts, numbers, flags, choices and names', () => {
    expect([
      row('steer')?.options,
      row('mode')?.options,
      row('undo')?.options.map(({ name, kind }) => [name, kind]),
    ]).toEqual([
      [
        { name: 'text', summary: 'the text', required: true, kind: 'text', choices: [], names: null },
        { name: 'agent', summary: 'whose turn', required: false, kind: 'text', choices: [], names: 'agent' },
        {
          name: 'turn',
          summary: 'the turn that is meant: refused where another runs',
          required: false,
          kind: 'text',
          choices: [],
          names: 'turn',
        },
      ],
      [
        {
          name: 'to',
          summary: 'what it is to be; it is shown where nothing is said',
          required: false,
          kind: 'text',
          choices: ['discuss', 'diagnose', 'execute'],
          names: null,
        },
      ],
      [
        ['agent', 'text'],
        ['turn', 'text'],
        ['dry', 'flag'],
        ['force', 'flag'],
      ],
    ])
    expect(row('more')?.options.map(({ name, kind, required }) => [name, kind, required])).toEqual([
      ['post', 'text', true],
      ['from', 'integer', false],
      ['length', 'integer', false],
    ])
    expect(['watch', 'bind', 'approve', 'help'].map((name) => row(name)?.options[0]?.names)).toEqual([
      'room',
      'thread',
      'approval',
      'command',
    ])
  })

  test('that are peripherals give an agent work, or the usual one', () => {
    expect(row('explore')).toEqual({
      name: 'explore',
      aliases: [],
      summary: SPECS.get('explore')?.purpose,
      usage: 'explore [@agent] REQUEST',
      example: 'explore where is main defined?',
      role: 'operator',
      reads: false,
      works: true,
      options: [
        { name: 'request', summary: 'what is to be done', required: true, kind: 'text', choices: [], names: null },
        {
          name: 'agent',
          summary: 'which agent; the usual one where none is named',
          required: false,
          kind: 'text',
          choices: [],
          names: 'agent',
        },
      ],
    })
  })
})

describe('help', () => {
  test('is a few lines, ordered by what commands are about, with what the one who asks may do', async () => {
    await using it = await openAsking()
    const lines = (await it.answer('help', atHome('ada', 'viewer'))).split('\n')
    expect(lines.map((line) => line.split(':')[0])).toEqual([
      'work',
      'watching',
      'deciding',
      'rooms',
      'evidence',
      'people',
      'Say /help COMMAND for how it is used.',
      'Anything else is for the agents',
    ])
    expect(lines[2]).toBe('deciding: /approvals')
    expect(lines[5]).toBe('people: /help /who /whoami /people /pair /unpair /sources')
    const names = async (role: Role) => must(await it.ask('help', atHome('ada', role))) as { operations: Command[] }
    const counts = await Promise.all(Role.options.map(async (role) => (await names(role)).operations.length))
    expect(counts).toEqual([...counts].sort((a, b) => a - b))
    expect(counts.at(-1)).toBe(spoken.length + 1)
  })

  test('has for a guest what is for everybody', async () => {
    await using it = await openAsking()
    const guest = await it.fromNetwork(sender({ nick: 'ada' }), 'lobby')
    expect((await it.answer('help', guest, 'lobby')).split('\n').slice(0, 2)).toEqual([
      'watching: /more',
      'people: /help /who /whoami /pair',
    ])
  })

  test.each(['stop', '/stop', '!cancel', 'CANCEL'])(
    'of one command, asked for as %s, says how it is used',
    async (name) => {
      await using it = await openAsking()
      expect((await it.answer(`help ${name}`, atHome('ada', 'viewer'))).split('\n')).toEqual([
        '/stop [agent] [why] [turn=…]: stop what an agent is doing in this room, and what waits behind it, or one turn; without a name, everything here',
        '  agent (optional): whose work; or one turn, by its id',
        '  why (optional): why, in a few words',
        '  turn (optional): this turn alone',
        'such as /stop codex-1 wrong branch',
        'for the role operator, and above',
        'also /cancel',
      ])
    },
  )

  test('of what is no command names what was probably meant', async () => {
    await using it = await openAsking()
    expect([await it.answer('help explroe'), await it.answer('help job'), await it.answer('help abracadabra')]).toEqual(
      [
        'command-unknown: there is no command explroe; did you mean /help explore?',
        'command-unknown: there is no command job; did you mean /help jobs?',
        'command-unknown: there is no command abracadabra',
      ],
    )
  })
})

describe('whoami', () => {
  test('says who one is, by what, and what one may do', async () => {
    const people = { ada: { role: 'operator', accounts: ['libera/ada'] } }
    await using it = await openAsking({ people })
    const ada = await it.fromNetwork(sender({ account: 'ada' }), 'lobby')
    expect(must(await it.ask('whoami', ada, 'lobby'))).toEqual({ ...whoami(ada, ['explore']), known: 'account' })
    const said = await it.answer('whoami', ada, 'lobby')
    expect(said).toBe(whoamiText(ada, ['explore']))
    expect(said.split('\n')[0]).toBe('you are ada (operator) through irc, by libera/ada')
  })

  test.each([
    ['a token', atHome('root', 'admin'), 'you are root (admin) through cli'],
    [
      'a token of somebody else’s',
      { ...atHome('grace', 'admin'), via: 'root' },
      'you are grace (admin) through cli, by root',
    ],
  ])('by %s', async (_what, person, line) => {
    await using it = await openAsking()
    const said = await it.answer('whoami', person)
    expect([said, said.split('\n')[0]]).toEqual([whoamiText(person, ['explore']), line])
    expect(must(await it.ask('whoami', person))).toEqual(whoami(person, ['explore']))
  })

  test.each(Role.options)('as %s has what that role may do, and nothing else', async (role) => {
    await using it = await openAsking()
    const ada = atHome('ada', role)
    expect(must(await it.ask('whoami', ada))).toEqual(whoami(ada, ['explore']))
  })

  test('as a viewer has no work in it, by hand neither', async () => {
    await using it = await openAsking()
    expect(await it.answer('whoami', atHome('ada', 'viewer'))).toBe(
      'you are ada (viewer) through cli\nyou may say /pair /unpair; look at everything: /help has how',
    )
    expect((await it.answer('help start')).split('\n').at(-1)).toBe('for the role operator, and above')
  })

  test('as a guest says how to be more', async () => {
    await using it = await openAsking()
    const guests = [sender({ nick: 'ada' }), sender({ visit: 'v-1' }), sender({ account: 'ada' })]
    const said = guests.map(async (who) => {
      const person = await it.fromNetwork(who, 'lobby')
      return [(must(await it.ask('whoami', person)) as { known: string }).known, await it.answer('whoami', person)]
    })
    const may =
      'you may say /more /help /who /whoami /pair; where you are known already, /pair gives you a code for here'
    const guest = 'a guest: nobody gave you a role'
    expect(await Promise.all(said)).toEqual([
      ['nothing', `you are ~ada@libera (${guest}) through irc, where nothing says who you are\n${may}`],
      ['visit', `you are ~ada@libera (${guest}) through irc, by libera/~v-1\n${may}`],
      ['account', `you are ada@libera (${guest}) through irc, by libera/ada\n${may}`],
    ])
  })
})
