import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { bellhop } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { postgresMissing } from '../support/postgres.ts'
import { type Process, type Several, startSeveral } from '../support/several.ts'
import { sharedPostgres } from '../support/shared-postgres.ts'
import { must } from '../support/store.ts'

const LONG = process.env['BELLHOP_LONG'] === '1'
const LINES = LONG ? 60 : 10

type Sender = { accepted: string[]; tries: number }

/** Says one line after the other in a room, to whichever gateway takes it, by a name that stays the same. */
const talkIn = async (it: Several, room: string, gateways: Process[], lines: number): Promise<Sender> => {
  const sender: Sender = { accepted: [], tries: 0 }
  for (let i = 0; i < lines; i++) {
    const line = { id: `${room}-${i}`, room, text: `@codex replace "END" with "${i},END" in ${room}.md` }
    const say = async (): Promise<boolean> => {
      sender.tries++
      const gateway = gateways[sender.tries % gateways.length]
      if (!gateway) return false
      const answer = await it
        .clientOf(gateway)
        .say(line)
        .catch(() => null)
      return answer?.ok === true
    }
    await eventually(`${line.id} to be accepted`, say, 60_000)
    sender.accepted.push(line.id)
    await setTimeout(20)
  }
  return sender
}

/** Ends one of them in order and starts another in its place. */
const restart = async (
  it: Several,
  all: Process[],
  i: number,
  part: 'gateway' | 'worker',
): Promise<number | string | undefined> => {
  const before = all[i]
  before?.kill('SIGTERM')
  const how = await before?.ended
  all[i] = await it.start(part)
  return how
}

const roll = async (it: Several) => {
  const gateways = await Promise.all([it.start('gateway'), it.start('gateway')])
  const workers = await Promise.all([it.start('worker'), it.start('worker')])
  await eventually('the agents to be ready', async () =>
    must(await it.clientOf(gateways[0]).ask('who')).agents.every(({ readiness }) => readiness === 'ready'),
  )
  const talking = Promise.all(it.rooms.map((room) => talkIn(it, room, gateways, LINES)))
  const ends = [
    await restart(it, workers, 0, 'worker'),
    await restart(it, gateways, 0, 'gateway'),
    await restart(it, workers, 1, 'worker'),
    await restart(it, gateways, 1, 'gateway'),
  ]
  const senders = await talking
  const accepted = senders.flatMap((sender) => sender.accepted)
  const ended = async () => it.entries({ event: 'turn-ended' })
  await eventually('all turns to end', async () => (await ended()).length >= accepted.length, 60_000)
  const turns = (await ended()).flatMap(({ body }) => (body?.event === 'turn-ended' ? [body] : []))
  const done = new Map<string, number>()
  for (const { turn } of turns) done.set(turn, (done.get(turn) ?? 0) + 1)
  return {
    ends,
    accepted: accepted.length,
    lost: accepted.filter((id) => !done.has(`${id}.codex-1`)),
    doubled: [...done].filter(([, times]) => times > 1),
    outcomes: turns.map(({ outcome }) => outcome).filter((outcome) => outcome !== 'done'),
    files: it.rooms.map((room) => readFileSync(join(it.workspace, `${room}.md`), 'utf8')),
    told: (await it.entries({ event: 'presence' })).flatMap(({ body }) =>
      body?.event === 'presence' ? [`${body.agent.id} ${body.agent.readiness}`] : [],
    ),
  }
}

const wanted = (it: Several) => ({
  ends: [0, 0, 0, 0],
  accepted: it.rooms.length * LINES,
  lost: [],
  doubled: [],
  outcomes: [],
  // Each line once, and in the order in which they were said.
  files: it.rooms.map(() => `${Array.from({ length: LINES }, (_, i) => `${i},`).join('')}END\n`),
  // Nobody left, as somebody else was always there to speak for them.
  told: ['claude-1 ready', 'codex-1 ready'],
})

const files = Object.fromEntries(['lobby', 'attic', 'porch', 'cellar'].map((room) => [`${room}.md`, 'END\n']))

test('each process is restarted in turn while people go on talking: nothing is lost, nothing is done twice, and the order holds', async () => {
  await using it = await startSeveral({ files })
  const rolled = await roll(it)
  expect({ ...rolled, told: rolled.told.sort() }).toEqual(wanted(it))
  expect((await bellhop(['verify', '--all', '--data', it.data])).exitCode).toBe(0)
})

describe.skipIf(postgresMissing)('with the evidence on PostgreSQL', () => {
  test('the same holds', async () => {
    const evidence = await sharedPostgres().database()
    await using it = await startSeveral({ files, evidence })
    const rolled = await roll(it)
    expect({ ...rolled, told: rolled.told.sort() }).toEqual(wanted(it))
    const verified = await bellhop(['verify', '--all', '--data', it.data], { env: { BELLHOP_EVIDENCE: evidence } })
    expect(verified.exitCode).toBe(0)
  })
})
