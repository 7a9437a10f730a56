import type { IncomingMessage } from 'node:http'
import { bearerOf, objectionTo } from '../doors/admit.ts'
import { newToken } from '../evidence/tokens.ts'
import { createMcpDoor } from '../mcp/door.ts'
import type { Hands } from '../runners/runner.ts'
import type { AgentGrant, Principal } from '../shapes/principal.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Social } from '../social/pipeline.ts'
import { refuse } from '../social/refuse.ts'
import { describeTool } from './describe-tool.ts'
import type { Parts } from './parts.ts'
import { openSeats } from './seats.ts'
import { openServer } from './server.ts'
import { contextOf } from './social.ts'

/** Whose hands they are, and by which program it signs. */
type Whose = { grant: AgentGrant; runner: string }

/** How long the answer to a hop waits for the program to list its tools: both do so within a tenth of a second. */
const HOP_MS = 1000

/** How long a notice may be on its way to a program that lists its tools only when it needs them: Codex does. */
const NOTICE_MS = 50
const isLate = ({ door }: Principal): boolean => door === 'codex'

/**
 * The one thing that the programs of agents can reach: an MCP endpoint of this worker's own, on the loopback, with the tools
 * of their peripheral and nothing else. Each session has a token of its own, which is nowhere but in this process and in the
 * program's: it ends with either. Every call goes the way that all calls go.
 */
export const openHands = async (parts: Parts, social: Social) => {
  const { store, feed, specs, progress, newId, log, settings, config } = parts
  const given = new Map<string, Principal>()
  /** The sessions whose turns are conducted here, and whether they still are. */
  const conducted = new Map<string, () => Promise<boolean>>()
  let closing = false
  const { seats } = openSeats(parts, social)

  const admit = async ({ headers }: Pick<IncomingMessage, 'headers'>): Promise<Result<Principal>> => {
    const objection = objectionTo(headers, [])
    if (objection) return refused(objection)
    const principal = given.get(bearerOf(headers.authorization))
    return principal
      ? ok(principal)
      : refused(refusal('unauthenticated', 'this token is for no session of this worker'))
  }

  const door = createMcpDoor({
    version: settings.version,
    admit,
    stillValid: async ({ token }) => given.has(token),
    seats: {
      at: seats.at,
      act: async (principal, call, how) => {
        const isOurs = conducted.get(principal.grant?.session ?? '')
        // Hands that are only shown are for looking at, and nobody works between two turns.
        if (!isOurs)
          return refused(refusal('peripheral-inactive', `no peripheral is active, so there is no tool ${call.tool}`))
        // A worker that was frozen does not know that another goes on with the turn: what its program asks for was for then.
        if (!(await isOurs()))
          return refused(refusal('fenced', 'another worker has the session, or nothing can be written'))
        return seats.act(principal, call, { ...how, keeps: () => closing })
      },
    },
    feed,
    store,
    progress: progress.listen,
    // Who conducts the turn keeps it: there is no seat to hold.
    hold: async () => {},
    release: async () => {},
    specs,
    describe: (tool) => describeTool(tool, store),
    rooms: config.rooms,
    operations: [],
    contextFor: (person) => contextOf(parts, person, null),
    say: async () => refused(refusal('agents-only', 'nothing is said through an agent’s hands')),
    // Who works by them is held to the limits of a turn.
    refuseSparingly: (_who, stage, why) => refuse(social, stage, why),
    newId,
    log: log.warn,
    toolsOnly: true,
    listsLate: isLate,
    limits: { hopMs: HOP_MS, sessions: MOST, sessionsEach: 8, idleMs: DAY_MS },
  })
  const server = await openServer({
    answer: (_request, response) => void response.writeHead(404).end(),
    doors: [{ path: '/mcp', ...door }],
    host: '127.0.0.1',
    port: 0,
    log: log.warn,
  })

  return {
    /** Gives a session hands; without one they can be looked at, and do nothing. */
    give: ({ grant, runner }: Whose): Hands => {
      const token = newToken()
      const key = `hands/${newId()}`
      const person = { name: grant.agent, role: grant.role, face: 'agent', via: null, agent: true } as const
      given.set(token, { key, door: runner, token, person, grant, expires: null })
      return { url: `${server.url}/mcp`, token }
    },
    /** Says that the turns of a session are conducted here, for as long as they are; until the function it answers is called. */
    conduct: (session: string, isOurs: () => Promise<boolean>): (() => void) => {
      conducted.set(session, isOurs)
      return () => {
        if (conducted.get(session) === isOurs) conducted.delete(session)
      }
    },
    /** Resolves when the program has listed the tools that it has now, or after a while. */
    upToDate: async ({ token }: Hands): Promise<void> => {
      const principal = given.get(token)
      if (principal) await door.upToDate(principal.key, isLate(principal) ? NOTICE_MS : HOP_MS)
    },
    /** Takes them away: what they were at is given up. */
    take: ({ token }: Hands): void => {
      const principal = given.get(token)
      given.delete(token)
      if (principal) door.showOut(principal.key)
    },
    /** From now on a call that is given up is not given up by the agent: the worker is going down, and its turn is resumed. */
    goDown: (): void => {
      closing = true
    },
    close: async (): Promise<void> => {
      given.clear()
      await server.close(CLOSE_MS)
    },
  }
}

const MOST = 2000
const DAY_MS = 24 * 3600_000
const CLOSE_MS = 1000
