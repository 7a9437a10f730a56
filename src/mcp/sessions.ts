import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node'
import { isInitializeRequest } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { steadyClock } from '../lib/clock.ts'
import type { Refusal } from '../shapes/refusal.ts'
import { createBuild } from './build.ts'
import type { Guest } from './guest.ts'
import type { McpHouse, McpLimits } from './house.ts'
import { createLink } from './link.ts'
import { noticesOf } from './notices.ts'
import { createReplay } from './replay.ts'

type Session = {
  id: string
  guest: Guest
  transport: NodeStreamableHTTPServerTransport
  /** The requests that wait for their answers, by their ids. */
  asked: Set<unknown>
  /** How many answers are under way, and when it was last heard of. */
  under: number
  touched: number
  close: () => Promise<void>
}

/** How a request of the older era was dealt with, where it is not the session's: why it is refused, or a status and what is said. */
export type Turned = { status: number; message: string } | { refusal: Refusal } | null

const Cancelled = z.object({
  method: z.literal('notifications/cancelled'),
  params: z.object({ requestId: z.union([z.string(), z.number()]) }),
})

/** A request that was given up has no answer; but its stream has an end, or it would stay open for ever. */
const endCancelled = async ({ transport }: Session, body: unknown): Promise<void> => {
  const id = Cancelled.safeParse(body).data?.params.requestId
  if (id === undefined) return
  const error = { code: GIVEN_UP, message: 'the request was given up' }
  await transport.send({ jsonrpc: '2.0', id, error }).catch(() => {})
}

const Asked = z.object({ id: z.union([z.string(), z.number()]), method: z.string() })

/** The ids of the requests in a body. */
const idsIn = (body: unknown): unknown[] => [body].flat().flatMap((one) => Asked.safeParse(one).data?.id ?? [])

/** Whether one id would be under way twice: one of the two would never be answered. */
const hasTwice = (ids: unknown[], { asked }: Session): boolean =>
  new Set(ids).size < ids.length || ids.some((id) => asked.has(id))

type Objection = { status: number; message: string }

const GONE: Objection = { status: 404, message: 'there is no such session: initialize again' }
const FULL: Objection = { status: 503, message: 'there are too many sessions: end one, or try again later' }
const UNNAMED: Objection = { status: 400, message: 'the header Mcp-Session-Id is missing' }

const GIVEN_UP = -32_800
const FAREWELL_MS = 500

/**
 * The sessions of the older era. Each belongs to one principal and to nobody else. One whose client has vanished goes
 * after a while; where there are too many, one that has been silent makes room.
 */
export const createSessions = (house: McpHouse, limits: McpLimits) => {
  const sessions = new Map<string, Session>()

  const isIdle = ({ under, touched }: Session, ms: number): boolean => under === 0 && steadyClock() - touched >= ms

  const makeRoom = async (among: Session[], most: number): Promise<boolean> => {
    if (among.length < most) return true
    const [silent] = among.filter((one) => isIdle(one, limits.graceMs)).sort((a, b) => a.touched - b.touched)
    await silent?.close()
    return silent !== undefined
  }

  const open = async (guest: Guest): Promise<Session | null> => {
    const own = [...sessions.values()].filter((one) => one.guest === guest)
    if (!(await makeRoom(own, limits.sessionsEach))) return null
    if (!(await makeRoom([...sessions.values()], limits.sessions))) return null
    const id = randomUUID()
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: createReplay(limits),
      retryInterval: 1000,
      onsessionclosed: async () => {
        await close()
        farewell(guest)
      },
    })
    const link = createLink({ notices: noticesOf(() => server), kind: 'session' })
    const server = createBuild({ house, limits, guest, link, era: 'legacy' })()
    const close = async (): Promise<void> => {
      sessions.delete(id)
      guest.links.delete(link)
      forget()
      await server.close()
    }
    const session = { id, guest, transport, asked: new Set<unknown>(), under: 0, touched: steadyClock(), close }
    sessions.set(id, session)
    guest.links.add(link)
    const forget = guest.onEnd(() => void close())
    await server.connect(transport)
    return session
  }

  /** Whoever ends its last session is gone: the answer that says so is the last. */
  const farewell = (guest: Guest): void => {
    const failed = (error: Error) => house.log('a seat could not be let go', { error: error.message })
    setTimeout(() => void guest.leave().catch(failed), FAREWELL_MS).unref()
  }

  const attend = (session: Session, response: ServerResponse, ids: unknown[]): void => {
    session.under += 1
    session.touched = steadyClock()
    for (const id of ids) session.asked.add(id)
    response.once('close', () => {
      for (const id of ids) session.asked.delete(id)
      session.under -= 1
      session.touched = steadyClock()
    })
  }

  const find = (request: IncomingMessage, guest: Guest): Session | undefined => {
    const session = sessions.get(String(request.headers['mcp-session-id']))
    return session?.guest.principal.key === guest.principal.key ? session : undefined
  }

  /** The session that a request is of, or begins; or why there is none. */
  const sessionFor = async (request: IncomingMessage, guest: Guest, body: unknown): Promise<Session | Objection> => {
    if (request.headers['mcp-session-id'] !== undefined) return find(request, guest) ?? GONE
    return isInitializeRequest(body) ? ((await open(guest)) ?? FULL) : UNNAMED
  }

  const sweep = setInterval(() => {
    for (const session of sessions.values()) if (isIdle(session, limits.idleMs)) void session.close()
  }, limits.roundMs).unref()

  return {
    /** Hands a request to its session. Whose session it is not does not learn that there is one. */
    answer: async (
      request: IncomingMessage,
      response: ServerResponse,
      guest: Guest,
      body: unknown,
    ): Promise<Turned> => {
      const begins = request.headers['mcp-session-id'] === undefined
      const session = await sessionFor(request, guest, body)
      if ('status' in session) return session
      const ids = idsIn(body)
      if (hasTwice(ids, session)) return { status: 400, message: 'a request with this id waits for its answer already' }
      attend(session, response, ids)
      await session.transport.handleRequest(request, response, body)
      await endCancelled(session, body)
      // One that was not let begin is none.
      if (begins && session.transport.sessionId === undefined) await session.close()
      return null
    },
    count: (): number => sessions.size,
    close: async (): Promise<void> => {
      clearInterval(sweep)
      await Promise.all([...sessions.values()].map((session) => session.close()))
    },
  }
}
