import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Events, type GatewayDispatchPayload, GatewayDispatchEvents as Happened } from 'discord.js'
import type { NetworkPort, NetworkState } from '../../src/chat/port.ts'
import { CACHES } from './caches.ts'
import { wasRefused, wordsOf } from './failures.ts'
import { disallowed, INVALID_TOKEN } from './ways-out.ts'

export type GatewayOptions = {
  token: string
  /** Where Discord is. */
  api: { api?: string }
  intents: number
  port: Pick<NetworkPort, 'report' | 'log'>
  signal: AbortSignal
  dispatch: (payload: GatewayDispatchPayload) => void
}

/** How a stay at the gateway ended: Discord does not want us, or it was lost; and whether it had been any good. */
type Ended = { refused: string | null; lost: string; good: boolean }

const REFUSED_MS = 3_600_000
const FIRST_MS = 1000
const MOST_MS = 300_000

/** How often discord.js may connect by itself without getting in before we wait longer than it does. */
const TRIES = 8
const PATIENCE_MS = 90_000

/**
 * Stays at the gateway of Discord for ever: discord.js resumes and connects again by itself; where that leads nowhere,
 * it is begun anew after a while that grows. What asking again cannot change is asked again an hour later.
 */
export const stayAtGateway = async (options: GatewayOptions): Promise<void> => {
  const { port, signal } = options
  const report = createReport(port)
  const stay = createStay(options, report)
  let failures = 0
  while (!signal.aborted) {
    report({ state: 'connecting', detail: 'to the gateway of Discord' })
    const { refused, lost, good } = await stay()
    if (signal.aborted) return
    failures = good ? 0 : failures + 1
    report(refused === null ? { state: 'lost', detail: lost } : { state: 'refused', detail: refused })
    const growing = Math.min(MOST_MS, FIRST_MS * 2 ** failures) * (0.5 + Math.random() / 2)
    await sleep(refused === null ? growing : REFUSED_MS, undefined, { signal }).catch(() => null)
  }
}

const createStay = ({ token, api, intents, port, signal, dispatch }: GatewayOptions, report: Report) => {
  return async (): Promise<Ended> => {
    const over = new AbortController()
    const client = new Client({ intents, makeCache: CACHES, shardCount: 1, rest: { retries: 0, ...api } })
    const ended = await new Promise<Ended>((done) => {
      let [good, tries] = [false, 0]
      const lose = (lost: string) => done({ refused: null, lost, good })
      const watch = createWatch(() => lose('Discord did not let us in'), over.signal)
      client.on(RAW, (payload: GatewayDispatchPayload) => {
        dispatch(payload)
        const inside = insideBy(payload)
        if (inside === null) return
        watch.stop()
        ;[good, tries] = [true, 0]
        report({ state: 'connected', detail: inside })
      })
      client.on(Events.ShardError, (problem) => port.log('the gateway of Discord', { why: wordsOf(problem) }))
      client.on(Events.Error, (problem) => port.log('the gateway of Discord', { why: wordsOf(problem) }))
      client.on(Events.ShardDisconnect, ({ code }) => {
        const refused = REFUSALS[code] ?? null
        done({ refused, lost: `the connection was closed (${code})`, good: false })
      })
      client.on(Events.ShardReconnecting, () => {
        watch.start()
        tries += 1
        if (tries >= TRIES) return lose('the connection was closed again and again')
        report({ state: 'lost', detail: 'the connection was closed, connecting again' })
      })
      signal.addEventListener('abort', () => lose('the house goes'), { signal: over.signal })
      watch.start()
      client.login(token).catch((problem: unknown) => {
        const refused = wasRefused(problem) ? INVALID_TOKEN : null
        done({ refused, lost: wordsOf(problem), good })
      })
      if (signal.aborted) lose('the house goes')
    })
    over.abort()
    await leave(client)
    return ended
  }
}

/** How we are in again, where this says that we are. */
const insideBy = ({ t, d }: GatewayDispatchPayload): string | null => {
  if (t === Happened.Ready) return `as ${d.user.username}`
  return t === Happened.Resumed ? 'resumed' : null
}

/** What discord.js tells of as it came, which is all that is used of it. */
const RAW = 'raw'

const LEAVE_MS = 2000

/** Closes the connection. Nobody waits long for it. */
const leave = async (client: Client): Promise<void> => {
  const over = new AbortController()
  const late = sleep(LEAVE_MS, undefined, { signal: over.signal }).catch(() => null)
  await Promise.race([client.destroy().catch(() => null), late])
  over.abort()
}

/** Codes of the gateway that are the same however often one asks. */
const REFUSALS: Record<number, string> = {
  4004: INVALID_TOKEN,
  4010: 'Discord does not take the shard that we are',
  4011: 'the bot is in too many servers for one connection',
  4012: 'Discord does not speak this version any more: Bellhop has to be brought up to date',
  4013: 'Discord does not know the intents that we ask for: Bellhop has to be brought up to date',
  4014: disallowed(),
}

const createWatch = (late: () => void, over: AbortSignal) => {
  let timer: NodeJS.Timeout | undefined
  const stop = (): void => clearTimeout(timer)
  over.addEventListener('abort', stop)
  return {
    stop,
    start: (): void => {
      stop()
      timer = setTimeout(late, PATIENCE_MS)
      timer.unref()
    },
  }
}

type Report = (state: NetworkState) => void

/** Tells what is new. */
const createReport = ({ report }: Pick<NetworkPort, 'report'>): Report => {
  let last = ''
  return (state) => {
    const now = `${state.state} ${state.detail}`
    if (now === last) return
    last = now
    report(state)
  }
}
