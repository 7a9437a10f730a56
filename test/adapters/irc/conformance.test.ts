import { commands } from '../../chat-conformance/commands.ts'
import { conformance } from '../../chat-conformance/suite.ts'
import type { Person } from '../../support/irc-person.ts'
import { startNgircd } from '../../support/ngircd.ts'
import { eventually } from '../../support/poll.ts'
import { comeTo, isIn, offences, startBot, startWire } from './stage.ts'

conformance('IRC', async () => {
  const server = await startNgircd({ penaltySeconds: 0 })
  const wire = await startWire(server)
  const ada = await comeTo(server, 'ada')
  const grace = await comeTo(server, 'grace')
  const { house, irc, stop } = await startBot({ server: wire, config: { flood: { burst: 50, perSecond: 50 } } })
  const someone = (person: Person) => ({
    name: person.nick,
    says: async (text: string) => person.say('#team', text),
    sees: async () => person.heard().map(({ text }) => asWritten(text)),
  })
  return {
    capabilities: irc.outlet.capabilities,
    house,
    person: someone(ada),
    other: someone(grace),
    breaks: async () => {
      // What the server has and has not confirmed yet would be said again, with a mark.
      await house.delivered()
      wire.cut()
      await eventually('the bot to have noticed', () => house.states.at(-1)?.state === 'lost')
    },
    heals: async () => {
      wire.mend()
      await eventually('the bot to be back', () => isIn(house))
    },
    alarms: () => offences(wire.sent),
    close: async () => {
      await stop()
      for (const person of [ada, grace]) person.cut()
      await wire.close()
      await server.stop()
    },
  }
})

const NAMES = commands.map(({ name }) => name).join('|')

/** As people read it: bold is seen, not read, and a command begins with `!`, as `/` is the client's own. */
const asWritten = (text: string): string =>
  text.replaceAll('\x02', '').replace(new RegExp(`!(?=(?:${NAMES})\\b)`, 'g'), '/')
