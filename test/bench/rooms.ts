import { startNgircd } from '../support/ngircd.ts'
import { comesTo, ircNetwork, pairs, saidTo, startRooms } from '../support/rooms.ts'
import { type Bench, measure } from './report.ts'

const BARE = 'a line from one client to another, on the same server'
const COUNT = 100
/** What people expect of somebody who listens: the target is printed, and not asserted. */
const TARGET_MS = 300

/** A line said on IRC until Bellhop says that somebody has it: heard, through five stages, durable, delivered. */
export const roomsBench = async (): Promise<Bench> => {
  await using server = await startNgircd({ penaltySeconds: 0, nickLength: 20 })
  await using rooms = await startRooms({ networks: { local: ircNetwork(server, { '#team': 'lobby' }) } })
  await using ada = await comesTo(server, 'ada')
  await using grace = await comesTo(server, 'grace')
  await pairs(rooms, ada)
  const heard = () => grace.heard('#team').filter(({ nick }) => nick === 'ada').length
  const bare = await measure(BARE, COUNT, 1, async (i) => {
    const before = heard()
    ada.say('#team', `line ${i}`)
    await soon(() => heard() > before)
  })
  const taken = () => saidTo(ada).filter((text) => text.includes('has it')).length
  const answered = () => saidTo(ada).filter((text) => text.includes('rehearsal')).length
  const ask = (until: () => number) => async () => {
    const before = until()
    ada.say('#team', '@claude-1 read README.md')
    await soon(() => until() > before)
  }
  await measure('warm up', 10, 1, ask(answered))
  const accepted = await measure(`a request, until somebody has it (target ${TARGET_MS} ms)`, COUNT, 1, ask(taken))
  await soon(() => answered() >= 10 + COUNT)
  return { title: 'In an IRC channel', baseline: BARE, rows: [bare, accepted] }
}

/** Looks at every turn of the loop: a poll would measure itself. */
const soon = async (isThere: () => boolean): Promise<void> => {
  while (!isThere()) await new Promise((done) => setImmediate(done))
}
