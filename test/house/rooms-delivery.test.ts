import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWire, type Wire } from '../adapters/irc/stage.ts'
import type { Person } from '../support/irc-person.ts'
import { type NgircdPair, startNgircdPair } from '../support/ngircd.ts'
import { eventually } from '../support/poll.ts'
import { comesTo, exchange, ircNetwork, pairs, type Rooms, saidTo, startRooms } from '../support/rooms.ts'
import { must } from '../support/store.ts'

let servers: NgircdPair
/** Bellhop reaches its server through it: so it comes back when the others are back, and not before. */
let wire: Wire
let rooms: Rooms
/** Whoever comes into a channel first may throw others out. */
let keeper: Person
beforeAll(async () => {
  servers = await startNgircdPair()
  wire = await startWire(servers.one)
  keeper = await comesTo(servers.one, 'keeper')
  rooms = await startRooms({ networks: { home: ircNetwork(wire, { '#team': 'lobby' }) } })
})
afterAll(async () => {
  await rooms[Symbol.asyncDispose]()
  keeper.cut()
  await wire.close()
  await servers.stop()
})

let asked = 0

/** Has agents work, as somebody at home: each answer has a number that no other has. */
const ask = async (count: number): Promise<number[]> => {
  const numbers = Array.from({ length: count }, () => ++asked)
  for (const number of numbers)
    must(await rooms.admin.say({ room: 'lobby', text: `@claude-1 find nothing-${number}-here` }))
  return numbers
}

/** The numbers of the answers that were said in the channel, in order, and whether each may have been said before. */
const answersIn = (lines: readonly string[]): { number: number; again: boolean }[] =>
  lines.flatMap((line) => {
    const [, again, number] = /^(\(again\?\) )?claude-1: rehearsal, no model: .*nothing-(\d+)-here/.exec(line) ?? []
    return number === undefined ? [] : [{ number: Number(number), again: again !== undefined }]
  })

const untilSaid = (number: number | undefined, heard: () => readonly string[]): Promise<unknown> =>
  eventually(`the answer ${number}`, () => answersIn(heard()).some((one) => one.number === number)).catch(
    (cause: Error) => {
      throw new Error(`${cause.message}: ${JSON.stringify(heard(), null, 1)}`)
    },
  )

/** Every answer was said, in order; once, or again with the mark of what may have been said before. */
const expectAll = (numbers: readonly number[], heard: readonly string[]): void => {
  const mine = answersIn(heard).filter(({ number }) => numbers.includes(number))
  const first = mine.filter(({ number }, i) => mine.findIndex((one) => one.number === number) === i)
  expect(first.map(({ number }) => number)).toEqual(numbers)
  expect(mine.filter((one) => !first.includes(one) && !one.again)).toEqual([])
}

test('a bridge that is stopped in order in the middle of work, and started again, says everything once', async () => {
  const numbers = await ask(8)
  await untilSaid(numbers[1], () => saidTo(keeper))
  await rooms.stopBridge()
  await rooms.startBridge()
  await untilSaid(numbers.at(-1), () => saidTo(keeper))
  expect(answersIn(saidTo(keeper))).toEqual(numbers.map((number) => ({ number, again: false })))
})

test('Redis that forgets everything in the middle of work costs nothing but marks', async () => {
  const numbers = await ask(8)
  await untilSaid(numbers[1], () => saidTo(keeper))
  await rooms.redis.redis.flushall()
  await rooms.untilReady()
  const more = [...numbers, ...(await ask(2))]
  await untilSaid(more.at(-1), () => saidTo(keeper))
  expectAll(more, saidTo(keeper))

  const rest = await ask(6)
  await untilSaid(rest[1], () => saidTo(keeper))
  await rooms.stopBridge()
  await rooms.redis.redis.flushall()
  await rooms.startBridge()
  await rooms.untilReady()
  await untilSaid(rest.at(-1), () => saidTo(keeper))
  expectAll(rest, saidTo(keeper))
})

test('who is thrown out and banned in the middle of work says the rest when the ban is over', async () => {
  const numbers = await ask(6)
  await untilSaid(numbers[0], () => saidTo(keeper))
  keeper.ban('#team', '*!*bellhop@*')
  keeper.kick('#team', 'bellhop')
  const standing = async () => must(await rooms.admin.ask('networks')).networks[0]?.detail
  await eventually('that it is banned to be known', async () =>
    (await standing())?.endsWith('NOT in #team: we are banned from it'),
  )
  const more = [...numbers, ...(await ask(2))]
  const before = answersIn(saidTo(keeper)).length
  keeper.mode('#team', '-b *!*bellhop@*')
  await untilSaid(more.at(-1), () => saidTo(keeper))
  expect(before).toBeLessThan(answersIn(saidTo(keeper)).length)
  expectAll(more, saidTo(keeper))
  await rooms.untilOn()
})

test('in a netsplit each side goes on, nothing is said twice, and a role does not survive it', async () => {
  await using grace = await comesTo(servers.two, 'grace')
  await pairs(rooms, grace)
  const numbers = await ask(6)
  await untilSaid(numbers[0], () => saidTo(keeper))
  await servers.split()
  await untilSaid(numbers.at(-1), () => saidTo(keeper))
  await servers.join()
  await eventually('they are together again', () =>
    grace.lines.some(({ command, nick, params }) => command === 'JOIN' && nick === 'bellhop' && params[0] === '#team'),
  )
  expectAll(numbers, saidTo(keeper))
  const more = await ask(3)
  await untilSaid(more.at(-1), () => saidTo(grace))
  expectAll(more, saidTo(grace))
  expectAll(more, saidTo(keeper))
  expect(await exchange(grace, '!whoami', 2)).toEqual([
    expect.stringMatching(/^grace: you are ~grace@home \(a guest: /),
    expect.anything(),
  ])
})

test('a server that is killed in the middle of work hears the rest when it is back', async () => {
  const numbers = await ask(6)
  await untilSaid(numbers[1], () => saidTo(keeper))
  wire.cut()
  await servers.one.kill()
  const more = [...numbers, ...(await ask(2))]
  await servers.one.restart()
  await using again = await comesTo(servers.one, 'again')
  wire.mend()
  const heard = () => [...saidTo(keeper), ...saidTo(again)]
  await untilSaid(more.at(-1), heard)
  expectAll(more, heard())
  // What was said there meanwhile was not heard: nobody is to wait for an answer to it.
  const notices = again.heard('#team').filter(({ kind }) => kind === 'NOTICE')
  expect(notices.map(({ text }) => text.replace(/\d+/, 'N'))).toEqual([
    'I was away for N s: what was said here meanwhile I have not heard',
  ])
})
