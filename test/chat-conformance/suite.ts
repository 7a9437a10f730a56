import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Capabilities } from '../../src/chat/port.ts'
import { eventually } from '../support/poll.ts'
import { checkApprovals } from './approvals.ts'
import type { ScriptedHouse } from './house.ts'
import { checkLines } from './lines.ts'
import { checkLongText } from './long-text.ts'
import { checkPosts } from './posts.ts'
import { checkReconnect } from './reconnect.ts'
import { checkWork } from './work.ts'

/** Somebody at the network's other end, as a program that does what they would: a client, a browser, a terminal. */
export type Someone = {
  /** What they are called there. */
  name: string
  says: (text: string) => Promise<void>
  /** Everything they can see now, as plain text: one string for each message or line, oldest first, as it stands by now. */
  sees: () => Promise<string[]>
  /** Presses the last button of this name that can be pressed; rejects where there is none. Where the face has buttons. */
  presses?: (button: RegExp) => Promise<void>
  /** The texts of the files they were given, oldest first. Where the face hands over files. */
  files?: () => Promise<string[]>
}

/**
 * One adapter on its network, with a scripted house behind the port. What an author writes is this, once, in forty lines:
 *
 *     conformance('IRC', async () => {
 *       const server = await startServer()                                   // the network, as real as it can be had
 *       const house = createScriptedHouse({ network: 'libera', channels: { '#team': 'lobby' } })
 *       const adapter = createIrc({ port: house.port, config, … })           // the adapter, as the house makes it
 *       const over = new AbortController()
 *       const running = adapter.run(over.signal)
 *       house.deliverBy(adapter)                                             // a small delivery speaks through its outlet
 *       const ada = await ircPerson({ nick: 'ada', … })                      // and the people
 *       return {
 *         capabilities: adapter.outlet.capabilities,
 *         house,
 *         person: { name: 'ada', says: async (text) => ada.say('#team', text), sees: async () => textsOf(ada) },
 *         other: …,                                                          // somebody who must not see whispers
 *         breaks: () => server.cut(), heals: () => server.back(),
 *         close: async () => {
 *           over.abort()
 *           await Promise.all([running, house.close()])
 *           …                                                                // people and server, too
 *         },
 *       }
 *     })
 *
 * An adapter that reads rooms along instead of being spoken through is given `house.port` and no `deliverBy`; what breaks
 * there is the way to the house: `breaks: async () => house.leaves()`, `heals: async () => house.returns()`.
 * One stage serves all checks, in their order: each has words of its own. Whatever slows the adapter down for the sake of
 * a network that has other users (a token bucket, a throttle) is set to be quick.
 */
export type Stage = {
  capabilities: Capabilities
  house: ScriptedHouse
  person: Someone
  /** Somebody else in the same place. */
  other?: Someone
  /** A place of its own for a thread, and the room it leads to. Where the face has threads. */
  thread?: { room: string; says: (text: string) => Promise<void> }
  /** Cuts the connection between the adapter and its network; resolves once the adapter cannot be heard any more. */
  breaks: () => Promise<void>
  /** Lets it come back; resolves at once, or once it has: the checks wait in any case. */
  heals: () => Promise<void>
  /** What text must never bring about, and has: somebody was pinged, a script ran, a command was given to the server. */
  alarms?: () => string[]
  /** Ends everything that `open` began. */
  close: () => Promise<void>
}

/** What every check gets: the stage, and words that nobody has used before. */
export type Check = {
  stage: () => Stage
  word: (kind: string) => string
}

/** Checks an adapter against all that holds for every one. What it cannot do by its capabilities, it must make up for. */
export const conformance = (name: string, open: () => Promise<Stage>): void => {
  describe(`${name}, as a face of the house`, () => {
    const before = connections()
    let opened: Stage | null = null
    let words = 0
    const check: Check = {
      stage: () => {
        if (!opened) throw new Error('the stage was not opened')
        return opened
      },
      word: (kind) => `${kind}${100 + words++}z`,
    }

    beforeAll(async () => {
      opened = await open()
    })

    afterAll(async () => {
      await opened?.close()
    })

    checkLines(check)
    checkPosts(check)
    checkApprovals(check)
    checkWork(check)
    checkLongText(check)
    checkReconnect(check)

    test('in all of this, text has brought nothing about, and nothing was given up', () => {
      const { alarms, house } = check.stage()
      expect({ alarms: alarms?.() ?? [], failed: house.failed }).toEqual({ alarms: [], failed: [] })
    })

    test('after it was closed nothing of it is left', async () => {
      await check.stage().close()
      opened = null
      await eventually(`no more connections and programs than before (${before})`, () => connections() <= before)
    })
  })
}

const KINDS = /^(?:TCP|TLS|Process|Pipe)/

/** How many connections, servers and programs there are in this process. */
const connections = (): number => process.getActiveResourcesInfo().filter((kind) => KINDS.test(kind)).length
