import { afterAll, beforeAll, expect, test } from 'vitest'
import { OWNER } from '../support/gateway.ts'
import { type Ngircd, startNgircd } from '../support/ngircd.ts'
import { eventually } from '../support/poll.ts'
import { comesTo, exchange, ircNetwork, pairs, type Rooms, saidTo, startRooms } from '../support/rooms.ts'
import { must } from '../support/store.ts'

let server: Ngircd
let rooms: Rooms
beforeAll(async () => {
  server = await startNgircd({ penaltySeconds: 0 })
  rooms = await startRooms({ networks: { home: ircNetwork(server, { '#team': 'lobby', '#quiet': 'quiet' }) } })
})
afterAll(async () => {
  await rooms[Symbol.asyncDispose]()
  await server.stop()
})

const README = ['rehearsal, no model: README.md, lines 1-3:', '  1 | # teapot', '  2 |', '  3 | It pours.']

/** What claude-1 answers to whoever asked for the README, after that it has it. */
const readme = (nick: string): string[] => [
  `${nick}: claude-1 has it, in explore`,
  `claude-1: ${nick}: ${README[0]}`,
  ...README.slice(1),
]

test('somebody whom nobody knows talks, and gets no work done; with a code from home they do', async () => {
  await using ada = await comesTo(server, 'ada')
  expect(await exchange(ada, '@claude-1 read README.md', 1)).toEqual([
    'ada: explore needs the role operator; you have none here: !whoami says more; ask someone with the role the message names',
  ])
  expect(await exchange(ada, '!whoami', 2)).toEqual([
    expect.stringMatching(/^ada: you are ~ada@home \(a guest: nobody gave you a role\) through irc, by home\/~v-\w+$/),
    'you may say !more !help !who !whoami !pair; where you are known already, !pair gives you a code for here',
  ])
  await pairs(rooms, ada)
  expect(await exchange(ada, '@claude-1 read README.md', 5)).toEqual(readme('ada'))
  expect(await exchange(ada, 'claude: read README.md', 5)).toEqual(readme('ada'))
  expect(await exchange(ada, '!explore read README.md', 5)).toEqual(readme('ada'))
  expect(await exchange(ada, '!explore @tickle-1 read README.md', 5)).toEqual(
    readme('ada').map((line) => line.replace('claude-1', 'tickle-1')),
  )
})

test('wrong usage is answered with the right one, near misses with what was meant, and the commands of other bots with nothing', async () => {
  await using grace = await comesTo(server, 'grace')
  await pairs(rooms, grace)
  expect(await exchange(grace, '!exlpore read README.md', 1)).toEqual([
    'grace: there is no command /exlpore; did you mean !explore?; say !help for the list of commands',
  ])
  expect(await exchange(grace, '@claud-1 read README.md', 1)).toEqual([
    'grace: there is no agent claud-1; did you mean @claude-1?; say !who for the agents that are here',
  ])
  grace.say('#team', '!fortune')
  expect(await exchange(grace, '!explore', 1)).toEqual([
    'grace: usage: !explore [@agent] REQUEST; use the command as the message shows it',
  ])
  expect(await exchange(grace, '!help explore', 5)).toEqual([
    'grace: !explore [@agent] REQUEST: Look around in the workspace and answer questions about it. Changes nothing.',
    '  request: what is to be done',
    '  agent (optional): which agent; the usual one where none is named',
    'such as !explore where is main defined?',
    'for the role operator, and above',
  ])
})

test('who is here, who one is and what is being worked on is said where it is asked', async () => {
  await using ada = await comesTo(server, 'ada', { channel: '#quiet' })
  const identity = (await pairs(rooms, ada, '#quiet')).split(' ')[1]
  const asked = (line: string, count: number) => exchange(ada, line, count, '#quiet')
  expect(await asked('!who', 3)).toEqual([
    'ada: claude-1: ready, alfworld, chat, deploy, discipline, edit, explore, mission-control, mission, proof, reflect, test',
    'codex-1: ready, alfworld, chat, deploy, discipline, edit, explore, mission-control, mission, proof, reflect, test',
    'tickle-1: ready, explore, test, reflect, chat, mission-control, discipline, alfworld',
  ])
  expect(await asked('bellhop: whoami', 2)).toEqual([
    `ada: you are ${OWNER} (approver) through irc, by ${identity}`,
    expect.stringMatching(
      /^you may give work in alfworld, chat, deploy, discipline, edit, explore, mission-control, mission, proof, reflect, test; say !start .*!approve /,
    ),
  ])
  expect(await asked('!status', 1)).toEqual(['ada: nothing is being worked on'])
  expect(await asked('!networks', 1)).toEqual([
    'ada: home (irc): connected: as bellhop on 127.0.0.1; in #team, #quiet; #team is lobby, #quiet is quiet',
  ])
})

test('a long answer is said in part, and !more goes on with it, with the signs that commands have here', async () => {
  await using ada = await comesTo(server, 'ada')
  await pairs(rooms, ada)
  const help = await exchange(ada, '!help', 6)
  expect(help.at(-1)).toMatch(/^… \d+ more lines: !more$/)
  const rest = await exchange(ada, '!more', 3)
  const whole = [...help.slice(0, -1), ...rest].join('\n')
  expect(whole).toContain('people: !help !who !whoami !people !pair !unpair !sources')
  expect(whole).not.toMatch(/(?<!\S)\/[a-z]/)
})

test('a room is mention-only until somebody opens it, and stays as it was left after a restart of the bridge', async () => {
  await using ada = await comesTo(server, 'ada')
  await pairs(rooms, ada)
  ada.say('#team', 'read README.md')
  expect(await exchange(ada, '!ungate', 2)).toEqual([
    `${OWNER} has claude-1 hear all that is said here`,
    'ada: in lobby claude-1 hears what is addressed to nobody',
  ])
  expect(await exchange(ada, 'read README.md', 5)).toEqual(readme('ada'))

  await rooms.stopBridge()
  await rooms.startBridge()
  await pairs(rooms, ada)
  expect(await exchange(ada, 'read README.md', 5)).toEqual(readme('ada'))
  expect(await exchange(ada, '!gate', 2)).toEqual([
    `${OWNER} gated the room: agents hear what names them`,
    'ada: in lobby agents hear what names them, and nothing else',
  ])

  await rooms.stopBridge()
  await rooms.startBridge()
  await pairs(rooms, ada)
  ada.say('#team', 'read README.md')
  expect(await exchange(ada, '!status', 1)).toEqual(['ada: nothing is being worked on'])
})

test('a role that was paired ends with the visit: whoever comes back under the nick is nobody', async () => {
  const ada = await comesTo(server, 'ada')
  await pairs(rooms, ada)
  expect(await exchange(ada, '!whoami', 2)).toEqual([
    expect.stringMatching(`^ada: you are ${OWNER} \\(approver\\)`),
    expect.anything(),
  ])
  await ada.quit()
  await using again = await comesTo(server, 'ada')
  expect(await exchange(again, '!whoami', 2)).toEqual([
    expect.stringMatching(/^ada: you are ~ada@home \(a guest: /),
    expect.anything(),
  ])
  await using grace = await comesTo(server, 'grace')
  await pairs(rooms, grace)
  await grace.quit()
  again.raw('NICK grace')
  await eventually('the nick to be theirs', () => again.nick === 'grace')
  expect(await exchange(again, '@claude-1 read README.md', 1)).toEqual([
    expect.stringMatching(/^grace: explore needs the role operator; you have none here/),
  ])
})

test('somebody works by hand behind a wall, and all of it verifies', async () => {
  await using ada = await comesTo(server, 'ada', { channel: '#quiet' })
  await pairs(rooms, ada, '#quiet')
  const asked = (line: string, count: number) => exchange(ada, line, count, '#quiet')
  expect(await asked('!start explore', 2)).toEqual([
    'ada: by-hand has it, in explore',
    expect.stringMatching(/^ada: by-hand is in explore, with read, /),
  ])
  expect(await asked('!step read path=README.md', 2)).toEqual(['ada: # teapot', 'It pours.'])
  expect(await asked('!step write new.txt text=new', 2)).toEqual([
    expect.stringMatching(/^ada: refused: explore has no tool write/),
    'use one of the tools of the peripheral',
  ])
  expect(await asked('!leave it pours', 2)).toEqual(['by-hand: ada: it pours', 'ada: explore is left'])
  const session = (await rooms.store.openSession('quiet', 'by-hand'))?.id ?? ''
  const events = (await rooms.store.chain(session)).map(({ body }) => body.event).filter((one) => one !== 'verified')
  expect(events).toEqual([
    'session-opened',
    'accepted',
    'turn-started',
    'peripheral-started',
    'step-intended',
    'step-ended',
    'step-refused',
    'peripheral-stopped',
    'turn-ended',
  ])
  expect(must(await rooms.admin.ask('verify', { session }))).toMatchObject({ ok: true })
})

test('every line that was said has one message and one receipt', async () => {
  await using ada = await comesTo(server, 'ada')
  for (let i = 0; i < 20; i++) ada.say('#team', `line ${i}`)
  const said = await eventually('the lines to be there', async () => {
    const found = await rooms.entries({ event: 'message', room: 'lobby' })
    const mine = found.filter(({ body }) => body?.event === 'message' && /^line \d+$/.test(body.text))
    return mine.length >= 20 && mine
  })
  expect(said.map(({ body }) => body?.event === 'message' && body.text)).toEqual(
    Array.from({ length: 20 }, (_, i) => `line ${i}`),
  )
  for (const { id } of said)
    expect((await eventually('the receipt', () => rooms.store.get(`${id}.receipt`))).body).toEqual({ event: 'heard' })
  expect(saidTo(ada)).toEqual([])
})
