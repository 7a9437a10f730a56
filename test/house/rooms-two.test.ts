import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FakeDiscord, type Guild, type Person as Member, startFakeDiscord } from '../fake-discord/src/index.ts'
import { OWNER } from '../support/gateway.ts'
import type { Person } from '../support/irc-person.ts'
import { type Ngircd, startNgircd } from '../support/ngircd.ts'
import { eventually } from '../support/poll.ts'
import {
  comesTo,
  discordNetwork,
  exchange,
  hears,
  ircNetwork,
  PLENTY,
  pairs,
  type Rooms,
  saidTo,
  startRooms,
  TOKEN,
} from '../support/rooms.ts'
import { must } from '../support/store.ts'

let server: Ngircd
let discord: FakeDiscord
let guild: Guild
let rooms: Rooms
/** Somebody on IRC who is paired with the owner of the house, and somebody on Discord whom the config knows. */
let ada: Person
let grace: Member
let team: string
let porch: string
const faces = ['cli', 'api']
const PLACES = [
  { id: 'lobby', faces, mode: 'execute', listener: null },
  { id: 'porch', faces, mode: 'execute', listener: null, approvers: ['grace'] },
]
const config = (part: object = {}) => ({
  rooms: PLACES,
  people: { grace: { role: 'approver', accounts: [`cord/${grace.id}`] } },
  profile: 'careful',
  drainMs: 1000,
  ...part,
})
beforeAll(async () => {
  server = await startNgircd({ penaltySeconds: 0 })
  discord = await startFakeDiscord({ limits: PLENTY })
  guild = discord.guild({ channels: ['team', 'porch'] })
  ;[team = '', porch = ''] = guild.channels().map(({ id }) => id)
  grace = discord.user('grace')
  grace.joins(guild.id)
  rooms = await startRooms({
    networks: {
      home: ircNetwork(server, { '#team': 'lobby', '#porch': 'porch' }),
      cord: discordNetwork(discord, { [team]: 'lobby', [porch]: 'porch' }),
    },
    config: config(),
    variables: { [TOKEN]: discord.token },
  })
  ada = await comesTo(server, 'ada')
  await ada.join('#porch')
  await pairs(rooms, ada)
})
afterAll(async () => {
  await rooms[Symbol.asyncDispose]()
  await discord.close()
  await server.stop()
})

const inWorkspace = (file: string): boolean => existsSync(join(rooms.settings.workspace, file))

/** What everybody reads in a channel of Discord, as text: of cards, what they say. */
const readOn = (channel: string): string[] =>
  discord
    .messages(channel)
    .map(({ content, embeds: [card] }) => (card ? `${card.title}: ${card.description}` : content))

const cardOf = (approval: string, channel = team) =>
  eventually(`the card of ${approval}`, () =>
    discord.messages(channel).find(({ embeds: [card] }) => card?.footer?.text === approval),
  )

const buttonsOf = (message: string): (string | undefined)[] | undefined =>
  discord
    .message(message)
    ?.components.flatMap((row) => row.components ?? [])
    .map(({ custom_id }) => custom_id)

/** Has an agent ask a person, and answers the name that it is to be answered by. */
const asks = async (file: string, channel = '#team'): Promise<string> => {
  ada.say(channel, `!edit @codex-1 create ${file} with "new"`)
  const asked = await hears(
    ada,
    new RegExp(`^codex-1 asks to change ${file} with write; .* → !approve \\w+ or !deny`),
    channel,
  )
  return /!approve (\w+)/.exec(asked)?.[1] ?? ''
}

const decisionsOn = async (approval: string) =>
  (await rooms.entries({ event: 'approval-decided' })).filter(
    ({ body }) => body?.event === 'approval-decided' && body.approval === approval,
  )

const openApprovals = async () => must(await rooms.admin.ask('approvals')).approvals.map(({ approval }) => approval)

test('what is said on one network is said on the other once, and never on its own', async () => {
  await eventually('that ada is known to be on Discord', () => readOn(team).at(-1)?.endsWith(` is ${OWNER}`))
  const before = readOn(team).length
  ada.say('#team', 'hello *there* @everyone')
  await eventually('it to be on Discord', () => readOn(team).length > before)
  grace.says(team, 'hi **you**')
  await hears(ada, '<grace@discord> hi you')
  expect(await exchange(ada, '!status', 1)).toEqual(['ada: nothing is being worked on'])
  await eventually('the answer to be on Discord', () => readOn(team).at(-1) === 'nothing is being worked on')
  expect(readOn(team).slice(before)).toEqual([
    `**${OWNER}** (irc): hello \\*there\\* @\u200beveryone`,
    'hi **you**',
    `**${OWNER}** (irc): !status`,
    'nothing is being worked on',
  ])
  expect(saidTo(ada).slice(-2)).toEqual(['<grace@discord> hi you', 'ada: nothing is being worked on'])
})

test('of a yes on Discord and a no on IRC the first holds, the other is told so, and every copy says what holds', async () => {
  const name = await asks('one.txt')
  const card = await cardOf(name)
  expect(buttonsOf(card.id)).toEqual([`approve:${name}`, `deny:${name}`])
  expect(await openApprovals()).toEqual([name])
  const clicked = grace.clicks(card.id, `approve:${name}`)
  ada.say('#team', `!deny ${name} not today`)
  const told = await eventually('both to be answered', () => {
    const [discordSays] = clicked.followUps()
    const ircSays = saidTo(ada).findLast((line) => line.startsWith(`ada: ${name} `))
    return discordSays && ircSays !== undefined && [discordSays.content.split('\n')[0], ircSays]
  })
  const decided = await decisionsOn(name)
  expect(decided.length).toBe(1)
  const isYes = decided[0]?.body?.event === 'approval-decided' && decided[0].body.decision === 'approved'
  expect(told).toEqual(
    isYes
      ? [expect.stringMatching(`^${name} is approved`), expect.stringMatching(`^ada: ${name} was approved by grace; `)]
      : [`${name} was denied by ${OWNER} [approval-closed]`, expect.stringMatching(`^ada: ${name} is denied`)],
  )
  await hears(ada, isYes ? `grace approved ${name}` : `${OWNER} denied ${name}: not today`)
  await eventually('the card to say so', () =>
    discord.message(card.id)?.embeds[0]?.title?.endsWith(isYes ? ': approved' : ': denied'),
  )
  expect(buttonsOf(card.id)).toEqual([])
  expect(await openApprovals()).toEqual([])
  await hears(ada, /^codex-1: ada: rehearsal, no model: /)
  expect(inWorkspace('one.txt')).toBe(isYes)
})

test('in a room that names who decides, nobody else does, on whichever network', async () => {
  const name = await asks('two.txt', '#porch')
  expect(await exchange(ada, `!approve ${name}`, 1, '#porch')).toEqual([
    expect.stringMatching('^ada: in porch it is for grace or an admin to decide; '),
  ])
  // Also not from another room.
  expect(await exchange(ada, `!approve ${name}`, 1)).toEqual([
    expect.stringMatching('^ada: in porch it is for grace or an admin to decide; '),
  ])
  const stranger = discord.user('guest')
  stranger.joins(guild.id)
  const card = await cardOf(name, porch)
  const pressed = stranger.clicks(card.id, `approve:${name}`)
  await eventually('the stranger to be told', () => pressed.followUps()[0]?.content.includes('[role-too-low]'))
  expect(await decisionsOn(name)).toEqual([])
  expect(buttonsOf(card.id)).toEqual([`approve:${name}`, `deny:${name}`])
  grace.clicks(card.id, `approve:${name}`)
  await hears(ada, `grace approved ${name}`, '#porch')
  await eventually('the file', () => inWorkspace('two.txt'))
})

test('a question outlives bridge and worker: the old button still decides it', async () => {
  const name = await asks('three.txt')
  const card = await cardOf(name)
  await rooms.stopBridge()
  await rooms.stopWorker()
  await rooms.redis.redis.flushall()
  await rooms.startWorker()
  await rooms.startBridge()
  expect(buttonsOf(card.id)).toEqual([`approve:${name}`, `deny:${name}`])
  grace.clicks(card.id, `approve:${name}`)
  await eventually('the file', () => inWorkspace('three.txt'))
  await hears(ada, `grace approved ${name}`)
  await eventually('that it is decided on Discord', () =>
    readOn(team).some((text) => text.startsWith(`Approval ${name}: approved`)),
  )
  expect((await decisionsOn(name)).length).toBe(1)
})

test('a turn begun on IRC is steered from Discord and stopped from the API, and everybody reads how it ends', async () => {
  await pairs(rooms, ada)
  const name = await asks('four.txt')
  const steered = grace.slash(team, 'steer', { text: 'and read README.md' })
  await hears(ada, '<grace@discord> /steer text="and read README.md"')
  await eventually('the answer to be there', () => steered.message()?.content.includes('codex-1 will hear it'))
  must(await rooms.admin.command('stop', { agent: 'codex-1', why: 'enough' }, { room: 'lobby' }))
  await hears(ada, `${OWNER} told codex-1 to stop: enough`)
  await hears(ada, /^codex-1: ada: stopped by /)
  await eventually('the answer on Discord', () =>
    readOn(team).some((text) => /^\*\*codex-1\*\*\nstopped by /.test(text)),
  )
  expect(inWorkspace('four.txt')).toBe(false)
  expect(await openApprovals()).not.toContain(name)
})

test('a turn begun on Discord is stopped from IRC, and its card says so', async () => {
  grace.says(team, '@codex-1 create five.txt with "new"')
  await hears(ada, /^codex-1 asks to change five\.txt/)
  ada.say('#team', '!stop codex-1 no')
  await hears(ada, `${OWNER} told codex-1 to stop: no`)
  const ended = await eventually('the card to say so', () =>
    discord
      .messages(team)
      .find(
        ({ embeds: [card] }) => card?.description?.startsWith('**cancelled**') && card.description.includes('five.txt'),
      ),
  )
  expect(buttonsOf(ended.id)).toEqual([])
})

test('a room that watches another is shown what is said there, on both networks, until it does not any more', async () => {
  await exchange(ada, '!watch lobby', 2, '#porch')
  ada.say('#team', 'look at this')
  await hears(ada, `[lobby] <${OWNER}@irc> look at this`, '#porch')
  await eventually('it to be on Discord', () => readOn(porch).includes(`[lobby] **${OWNER}** (irc): look at this`))
  await exchange(ada, '!unwatch lobby', 2, '#porch')
  ada.say('#team', 'not for the porch')
  await eventually('it to be on Discord', () => readOn(team).includes(`**${OWNER}** (irc): not for the porch`))
  expect(await exchange(ada, '!status', 1, '#porch')).toEqual(['ada: nothing is being worked on'])
  expect(saidTo(ada, '#porch').filter((line) => line.includes('not for the porch'))).toEqual([])
})

test('a question that nobody answers in time is closed, and every network is told', async () => {
  await using other = await startRooms({
    networks: {
      home: ircNetwork(server, { '#late': 'lobby' }, { nick: 'late' }),
      cord: discordNetwork(discord, { [porch]: 'lobby' }),
    },
    config: config({ approvals: { minutes: 0.03 } }),
    variables: { [TOKEN]: discord.token },
  })
  await using witness = await comesTo(server, 'witness', { channel: '#late' })
  must(await other.admin.say({ room: 'lobby', text: '!edit @codex-1 create six.txt with "new"' }))
  const heard = () => saidTo(witness, '#late', 'late')
  const lapsed = await eventually('that it has lapsed', () => heard().find((line) => line.includes(' lapse')))
  const name = /let (\w+) lapse/.exec(lapsed)?.[1] ?? ''
  expect(lapsed).toBe(`bellhop let ${name} lapse: nobody answered in time`)
  await eventually('the card to say so', () =>
    readOn(porch).some((text) => text.startsWith(`Approval ${name}: lapsed`)),
  )
  expect(buttonsOf((await cardOf(name, porch)).id)).toEqual([])
  expect(must(await other.admin.ask('approvals')).approvals).toEqual([])
})
