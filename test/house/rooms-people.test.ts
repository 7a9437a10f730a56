import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Inspircd, startInspircd } from '../support/inspircd.ts'
import { eventually } from '../support/poll.ts'
import { comesTo, exchange, hears, ircNetwork, type Rooms, saidTo, startRooms } from '../support/rooms.ts'

const PASSWORD = 'a-long-secret'
const accounts = (name: string) => ({ account: name, password: PASSWORD })

let server: Inspircd
let rooms: Rooms
beforeAll(async () => {
  server = await startInspircd({ flood: { fakelag: 'no', commandrate: 1_000_000, threshold: 1000 } })
  for (const name of ['ada', 'helper', 'grace', 'bellhop']) await server.register(name, PASSWORD)
  rooms = await startRooms({
    networks: {
      net: ircNetwork(server, { '#team': 'lobby' }, { account: 'bellhop', secret: 'IRC_SECRET', bots: ['helper'] }),
    },
    config: {
      people: {
        ada: { role: 'operator', accounts: ['net/ada'] },
        helper: { role: 'operator', accounts: ['net/helper'] },
      },
      loops: { hops: 2, named: 2 },
    },
    variables: { IRC_SECRET: PASSWORD },
    inWorkspace: (folder) =>
      writeFileSync(
        join(folder, 'loop.md'),
        '@claude-1 read README.md\n!explore read README.md\nclaude-1: read loop.md\n',
      ),
  })
})
afterAll(async () => {
  await rooms[Symbol.asyncDispose]()
  await server.stop()
})

const README = ['rehearsal, no model: README.md, lines 1-3:', '  1 | # teapot', '  2 |', '  3 | It pours.']
const readme = (nick: string): string[] => [
  `${nick}: claude-1 has it, in explore`,
  `claude-1: ${nick}: ${README[0]}`,
  ...README.slice(1),
]
const NO_ROLE = /explore needs the role operator; you have none here/

/** What became of a line: the event of its receipt, and why, where it was not heard. */
const fateOf = async (text: string): Promise<string[]> => {
  const said = await eventually(`${text} to be written down`, async () =>
    (await rooms.entries({ event: 'message' })).find(({ body }) => body?.event === 'message' && body.text === text),
  )
  const { body } = await eventually('its receipt', () => rooms.store.get(`${said.id}.receipt`))
  return body?.event === 'dropped' || body?.event === 'refused' ? [body.event, body.refusal.code] : [body?.event ?? '']
}

const accepted = async () => (await rooms.entries({ event: 'accepted' })).length

test('an account has the role that the config gives it, whatever its nick; the nick alone has none', async () => {
  await using ada = await comesTo(server, 'ada', accounts('ada'))
  expect(await exchange(ada, '@claude-1 read README.md', 5)).toEqual(readme('ada'))
  expect(await exchange(ada, '!whoami', 2)).toEqual([
    'ada: you are ada (operator) through irc, by net/ada',
    expect.stringMatching(/^you may give work in /),
  ])
  await using phone = await comesTo(server, 'phone', accounts('ada'))
  expect(await exchange(phone, '@claude-1 read README.md', 5)).toEqual(readme('phone'))
  await ada.quit()

  await using impostor = await comesTo(server, 'impostor')
  impostor.raw('NICK ada')
  await eventually('the nick to be theirs', () => impostor.nick === 'ada')
  expect(await exchange(impostor, '@claude-1 read README.md', 1)).toEqual([expect.stringMatching(NO_ROLE)])
  // Somebody with an account of their own is who they are, and no more.
  await using grace = await comesTo(server, 'grace', accounts('grace'))
  expect(await exchange(grace, '@claude-1 read README.md', 1)).toEqual([expect.stringMatching(NO_ROLE)])
})

test('who signs in and out in the middle of a visit has the role for as long as that lasts', async () => {
  await using ada = await comesTo(server, 'ada')
  expect(await exchange(ada, '@claude-1 read README.md', 1)).toEqual([expect.stringMatching(NO_ROLE)])
  ada.say('NickServ', `IDENTIFY ada ${PASSWORD}`)
  await ada.until(({ command }) => command === '900', 'to be signed in')
  expect(await exchange(ada, '@claude-1 read README.md', 5)).toEqual(readme('ada'))
  ada.say('NickServ', 'LOGOUT')
  await ada.until(({ command }) => command === '901', 'to be signed out')
  expect(await exchange(ada, '@claude-1 read README.md', 1)).toEqual([expect.stringMatching(NO_ROLE)])
})

test('another bot gets nothing, not even an answer, and why is written down', async () => {
  await using bot = await comesTo(server, 'otherbot', accounts('grace'))
  bot.raw('MODE otherbot +B')
  await bot.until(({ command, params }) => command === 'MODE' && params[1]?.includes('B') === true, 'to be a bot')
  const before = await accepted()
  bot.say('#team', '@claude-1 read bot.md')
  expect(await fateOf('@claude-1 read bot.md')).toEqual(['dropped', 'bot-ignored'])
  bot.say('#team', '!who')
  expect(await fateOf('!who')).toEqual(['dropped', 'bot-ignored'])
  expect(await accepted()).toBe(before)
  expect(saidTo(bot)).toEqual([])
})

test('a bot that the config allows gives work until it went on by itself for too long, and again after a person', async () => {
  await using ada = await comesTo(server, 'ada', accounts('ada'))
  await using bot = await comesTo(server, 'helpbot', accounts('helper'))
  bot.raw('MODE helpbot +B')
  await bot.until(({ command, params }) => command === 'MODE' && params[1]?.includes('B') === true, 'to be a bot')
  expect(await exchange(ada, '@claude-1 read README.md', 5)).toEqual(readme('ada'))
  for (const n of [1, 2]) expect(await exchange(bot, `@claude-1 find hop-${n}`, 2)).toHaveLength(2)
  expect([await fateOf('@claude-1 find hop-1'), await fateOf('@claude-1 find hop-2')]).toEqual([
    ['assigned'],
    ['assigned'],
  ])
  bot.say('#team', '@claude-1 find hop-3')
  expect(await fateOf('@claude-1 find hop-3')).toEqual(['dropped', 'hops-exceeded'])
  expect(await exchange(ada, '@claude-1 read README.md', 5)).toEqual(readme('ada'))
  expect(await exchange(bot, '@claude-1 find hop-4', 2)).toHaveLength(2)
})

test('what Bellhop says itself starts nothing, whatever it says', async () => {
  await using ada = await comesTo(server, 'ada', accounts('ada'))
  const before = await accepted()
  await exchange(ada, '@claude-1 read loop.md', 5)
  await hears(ada, /claude-1: read loop\.md$/)
  expect(await exchange(ada, '!status', 1)).toEqual(['ada: nothing is being worked on'])
  expect(await accepted()).toBe(before + 1)
  const echoes = (await rooms.entries({ event: 'refused' })).flatMap(({ body }) =>
    body?.event === 'refused' && body.refusal.code === 'own-echo' ? [body.stage] : [],
  )
  expect(new Set(echoes)).toEqual(new Set(['adapter']))
})

test('a line that names too many is refused, however it names them', async () => {
  await using ada = await comesTo(server, 'ada', accounts('ada'))
  const before = await accepted()
  ada.say('#team', '@all find sugar')
  ada.say('#team', '@claude-1 find sugar with @codex-1 and @tickle-1')
  ada.say('#team', '@claude-1 @tickle-1 find sugar')
  expect([
    await fateOf('@all find sugar'),
    await fateOf('@claude-1 find sugar with @codex-1 and @tickle-1'),
    await fateOf('@claude-1 @tickle-1 find sugar'),
  ]).toEqual([['refused', 'mentions-exceeded'], ['refused', 'mentions-exceeded'], ['assigned']])
  expect(await accepted()).toBe(before + 2)
  await hears(ada, /^tickle-1: ada: /)
})
