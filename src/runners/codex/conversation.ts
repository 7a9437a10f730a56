import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import type { Failure } from '../../shapes/runner.ts'
import { failed } from '../failures.ts'
import { promised } from '../promised.ts'
import type { Conversation } from '../runner.ts'
import { failureOf } from './failures.ts'
import { SERVER } from './names.ts'
import type { Notice } from './notices.ts'
import type { AppServer } from './server.ts'
import { countTokens } from './tokens.ts'
import { createTurn, type Turn } from './turn.ts'

type Parts = {
  server: AppServer
  /** The thread, and whether it was there before. */
  thread: string
  resumed: boolean
  /** The model that it speaks to where nothing else is said. */
  model: string
  /** The files in which it found instructions. */
  sources: readonly string[]
}

/** How long a turn has that was asked to stop, before all of the program is ended. */
const STOP_MS = 2000
const ASK_MS = 10_000
/** How long our own endpoint has to be connected to. */
const READY_MS = 15_000

/** A thread of the program. `ready` answers what stands against speaking in it; null where nothing does. */
export const createConversation = ({ server, thread, resumed, model: own, sources }: Parts) => {
  const tokens = countTokens(resumed)
  const servers = new Map<string, { status: string; error: string | null }>()
  const connected = promised<void>()
  let open = true
  let model = own
  let turn: Turn | null = null

  const told = (notice: Notice): void => {
    if (notice.kind === 'model') model = notice.model
    if (notice.kind === 'tokens') count(notice)
    else if (notice.kind === 'server') connect(notice)
    else turn?.take(notice)
  }

  const count = (notice: Extract<Notice, { kind: 'tokens' }>): void => {
    const usage = tokens(notice)
    turn?.heard(usage ? { kind: 'usage', model, usage, window: server.windows.get(model) ?? null } : { kind: 'alive' })
  }

  const connect = ({ name, status, error }: Extract<Notice, { kind: 'server' }>): void => {
    servers.set(name, { status, error })
    if (name === SERVER && status !== 'starting') connected.resolve()
    if (name !== SERVER) turn?.take({ kind: 'offence', what: `the server ${name}` })
  }

  /** What stands against it: its tools and its instructions are ours, and nobody else's. */
  const breach = (): Failure | null => {
    const other = [...servers.keys()].find((name) => name !== SERVER)
    const ours = servers.get(SERVER)
    if (other !== undefined) return failed('wall', `the program has a server besides ours: ${other}`)
    if (sources[0] !== undefined) return failed('wall', `the program has instructions besides ours: ${sources[0]}`)
    if (ours?.status === 'ready') return null
    return failed('wall', `our tools are ${ours?.status ?? 'not'} connected: ${ours?.error ?? 'nothing was said'}`)
  }

  const objection = (wanted: string | null): Failure | null => {
    if (!isOpen()) return failed('crashed', 'the program has ended')
    if (turn) return failed('bad-request', 'it is in the middle of a turn')
    if (wanted !== null && !server.windows.has(wanted)) return failed('wall', `${wanted} is not among the models`)
    return breach()
  }

  const speak: Conversation['speak'] = async (text, { model: wanted, heard }) => {
    const failure = objection(wanted)
    if (failure) return { kind: 'failed', failure }
    const mine = createTurn({ heard, offended: () => void stop(mine) })
    turn = mine
    await begin(mine, text, wanted ?? own)
    const finish = await mine.over
    turn = null
    return finish
  }

  const begin = async (mine: Turn, text: string, next: string): Promise<void> => {
    // A model is changed for all that comes after, too.
    const change = next === model ? {} : { model: next }
    model = next
    const params = { threadId: thread, input: [{ type: 'text', text }], environments: [], ...change }
    const answer = await server.ask('turn/start', params, null)
    const id = answer.ok ? TurnStarted.safeParse(answer.result).data?.turn.id : null
    if (id) mine.named(id)
    else if (answer.ok) mine.fail(failed('crashed', 'it began no turn'))
    else if (answer.gone) mine.lost(answer.message)
    else mine.fail(failureOf(answer))
  }

  const stop = async (mine: Turn): Promise<void> => {
    const interrupted = async (): Promise<true> => {
      const turnId = await mine.active
      if (turnId !== null) await server.ask('turn/interrupt', { threadId: thread, turnId }, STOP_MS)
      await mine.over
      return true
    }
    const inTime = await Promise.race([interrupted(), setTimeout(STOP_MS, false, { ref: false })])
    if (!inTime) await server.end(0)
    await mine.over
  }

  const steer: Conversation['steer'] = async (text) => {
    const mine = turn
    const expectedTurnId = (await mine?.active) ?? null
    if (!mine || expectedTurnId === null) return null
    const landing = mine.isInTool() ? 'after-step' : 'now'
    const params = { threadId: thread, expectedTurnId, input: [{ type: 'text', text }] }
    return (await server.ask('turn/steer', params, ASK_MS)).ok ? landing : null
  }

  const toolsOf = async (name: string): Promise<string[]> => {
    const params = { threadId: thread, serverName: name, detail: 'toolsAndAuthOnly' }
    const answer = await server.ask('mcpServerStatus/list', params, ASK_MS)
    if (!answer.ok) throw new Error(answer.message)
    const tools = Statuses.parse(answer.result).data.flatMap((status) => Object.values(status.tools))
    return tools.map((tool) => (name === SERVER ? tool.name : `${name}/${tool.name}`))
  }

  const close = async (): Promise<void> => {
    if (!open) return
    if (turn) await interrupt()
    open = false
    await server.ask('thread/unsubscribe', { threadId: thread }, ASK_MS)
    unfollow()
  }

  const interrupt = async (): Promise<void> => {
    if (!turn) return
    turn.stop()
    await stop(turn)
  }

  const isOpen = (): boolean => open && !server.isOver()

  const unfollow = server.follow(thread, {
    told,
    lost: (why) => {
      open = false
      connected.resolve()
      turn?.lost(why)
    },
    close,
  })

  const conversation: Conversation = {
    id: thread,
    resumed,
    speak,
    steer,
    interrupt,
    tools: async () => (await Promise.all([...servers.keys()].map(toolsOf))).flat().sort(),
    close,
    isOpen,
  }
  return {
    conversation,
    ready: async (): Promise<Failure | null> => {
      await Promise.race([connected.promise, setTimeout(READY_MS, null, { ref: false })])
      return isOpen() ? breach() : failed('crashed', 'the program has ended')
    },
  }
}

const TurnStarted = z.object({ turn: z.object({ id: z.string() }) })

const Statuses = z.object({ data: z.array(z.object({ tools: z.record(z.string(), z.object({ name: z.string() })) })) })
