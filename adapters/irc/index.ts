import { setTimeout as pause } from 'node:timers/promises'
import type { Network } from '../../src/chat/outlet.ts'
import type { NetworkPort, NetworkState } from '../../src/chat/port.ts'
import type { IrcConfig } from '../../src/shapes/networks.ts'
import { createAbsence } from './absence.ts'
import { createAskers } from './askers.ts'
import { type Connection, createConnection, type Session, TIMING, type Timing } from './connection.ts'
import { createInbound } from './inbound.ts'
import { createMore } from './more.ts'
import { createOutlet } from './outlet.ts'
import { type IrcSecrets, serverOf } from './server.ts'

export { checkIrc } from './check.ts'
export type { IrcSecrets } from './server.ts'

type Options = { config: IrcConfig; secrets: IrcSecrets; port: NetworkPort; version: string; timing?: Partial<Timing> }

/** A network of IRC: its channels are rooms, and what rooms are told is said there. */
export const createIrc = ({ config, secrets, port, version, timing }: Options): Network => {
  const askers = createAskers()
  const more = createMore(port, config.lines)
  const voices = new Map<string, { nick: string; connection: Connection }>()
  const common = {
    network: port.network,
    server: serverOf(config, secrets),
    version,
    channels: () => port.channels().map(({ channel }) => channel),
    keys: secrets.keys,
    timing: { ...TIMING, ...timing },
    lost: (cause: unknown) =>
      port.log('a line of the server made no sense', { network: port.network, cause: String(cause) }),
  }
  let hear: ReturnType<typeof createInbound>['line'] = () => {}
  const main = createConnection({
    ...common,
    nick: config.nick,
    credentials: {
      mode: config.sasl,
      account: config.account,
      secret: secrets.secret,
      certificate: secrets.certificate,
    },
    hear: (session, line) => hear(session, line),
    state: onceEach(port.report),
    ...createAbsence(),
  })
  const agents = () =>
    [...voices].map(([id, { nick, connection }]) => {
      const own = connection.session()?.link.nick()
      return { id, nick: own ?? nick, isHere: own !== undefined }
    })

  /** One more connection for each agent, which says what that agent says, and hears nothing. */
  const attend = async (signal: AbortSignal): Promise<void> => {
    const running: Promise<void>[] = []
    while (config.nicks === 'each' && !signal.aborted) {
      for (const { id } of await port.agents().catch(() => [])) {
        if (voices.has(id)) continue
        const connection = createConnection({
          ...common,
          ...agentOf(id, config, secrets),
          hear: null,
          state: logged(id, port),
        })
        voices.set(id, { nick: config.agents[id]?.nick ?? id, connection })
        running.push(connection.run(signal))
      }
      await pause(LOOK_MS, undefined, { signal }).catch(() => {})
    }
    await Promise.all(running)
  }

  return {
    outlet: createOutlet({
      port,
      lines: config.lines,
      askers,
      more,
      main: main.session,
      agent: (id): Session | null => voices.get(id)?.connection.session() ?? null,
    }),
    run: async (signal) => {
      const inbound = createInbound({ port, nick: config.nick, agents, askers, more, signal })
      hear = inbound.line
      await Promise.all([main.run(signal), attend(signal)])
      await inbound.settled()
    },
  }
}

/** How often it is looked whether there are new agents. */
const LOOK_MS = 60_000

const agentOf = (id: string, { agents, sasl }: IrcConfig, secrets: IrcSecrets) => ({
  nick: agents[id]?.nick ?? id,
  // A certificate belongs to one account: agents sign in by their passwords.
  credentials: {
    mode: sasl === 'external' ? ('auto' as const) : sasl,
    account: agents[id]?.account,
    secret: secrets.agents[id],
    certificate: undefined,
  },
})

/** Says what changed, and nothing twice. */
const onceEach = (report: NetworkPort['report']): NetworkPort['report'] => {
  let last = ''
  return (state) => {
    const said = `${state.state} ${state.detail}`
    if (said !== last) report(state)
    last = said
  }
}

const logged =
  (id: string, port: NetworkPort) =>
  ({ state, detail }: NetworkState): void =>
    port.log(`the nick of ${id} is ${state}`, { network: port.network, detail })
