import { setTimeout } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { startNgircd } from '../support/ngircd.ts'
import { eventually } from '../support/poll.ts'
import { comesTo, ircNetwork } from '../support/rooms.ts'
import { must } from '../support/store.ts'
import { chanceOf, LONG, times } from './chance.ts'
import { type House, startHouse } from './house.ts'
import type { Member } from './member.ts'

const NETWORK = 'home'

/** Which of them is on the network: its lease says so. */
const onIt = async (house: House): Promise<Member | undefined> => {
  const redis = new Redis(house.redis.path)
  const holder = (await redis.get(`bellhop-${house.secrets.instance}:network:${NETWORK}`)) ?? ''
  redis.disconnect()
  return house.bridges.find((member) => holder.includes(`/${member.pid()}/`))
}

const isConnected = async (house: House): Promise<boolean> => {
  const { networks } = must(await house.client.ask('networks'))
  return networks.every(({ state, detail }) => state === 'connected' && !detail.includes('NOT in'))
}

test(
  'a bridge that was frozen comes back to a network that another is on, and says nothing twice unmarked',
  async () => {
    const chance = chanceOf()
    await using server = await startNgircd({ penaltySeconds: 0 })
    await using house = await startHouse({
      chance,
      bridges: 2,
      config: { networks: { [NETWORK]: ircNetwork(server, { '#team': 'lobby' }) } },
    })
    await eventually('Bellhop to be in its channel', () => isConnected(house), 60_000)
    await using ada = await comesTo(server, 'ada')
    let said = 0
    const say = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++)
        must(await house.client.say({ id: `line-${said}`, room: 'lobby', text: `this is line${said++}.` }))
    }
    const heard = (): { line: string; again: boolean }[] =>
      ada.lines.flatMap(({ command, params }) => {
        const line = command === 'PRIVMSG' ? /line\d+/.exec(params.at(-1) ?? '')?.[0] : undefined
        return line === undefined ? [] : [{ line, again: (params.at(-1) ?? '').includes('(again?)') }]
      })
    const lost = (): string[] =>
      Array.from({ length: said }, (_, i) => `line${i}`).filter((line) => !heard().some((one) => one.line === line))

    for (let n = 0; n < times(1, 30); n++) {
      const frozen = await eventually('a bridge to be on the network', () => onIt(house), 60_000)
      await say(3)
      await setTimeout(chance.between(0, 100))
      await frozen.freeze()
      await say(3)
      await eventually('another to be on the network', async () => {
        const now = await onIt(house)
        return now !== undefined && now !== frozen && (await isConnected(house))
      })
      await eventually('everything to be said', () => lost().length === 0, 60_000)
      frozen.thaw()
      await say(3)
      await eventually('everything to be said', () => lost().length === 0, 60_000)
    }
    // Whoever came back has nothing left to say by the time that it knows of the other.
    await setTimeout(1000)
    const unmarked = heard()
      .filter(({ again }) => !again)
      .map(({ line }) => line)
    const doubled = unmarked.length - new Set(unmarked).size
    process.stdout.write(
      `drill | a frozen bridge | seed ${chance.seed} | faults ${times(1, 30)} | sent ${said} | heard ${heard().length} | doubled ${doubled} | lost ${lost().length}\n`,
    )
    expect({ doubled, lost: lost() }).toEqual({ doubled: 0, lost: [] })
    // It was never lost for the rooms: another was there, and says so for as long as it is.
    const told = must(await house.client.ask('evidence', { event: 'network-noted' })).entries
    expect({ told: told.map(({ body }) => body), connected: await isConnected(house) }).toEqual({
      told: [],
      connected: true,
    })
  },
  LONG ? 3_600_000 : 240_000,
)
