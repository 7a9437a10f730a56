import type { ServerResponse } from 'node:http'
import { steadyClock } from '../lib/clock.ts'
import type { Principal } from '../shapes/principal.ts'
import type { McpHouse, McpLimits } from './house.ts'
import type { Link } from './link.ts'

export type Guest = ReturnType<typeof createGuest>

/** An answer under way: whether it is a stream that goes on by itself, and since when its reader has stood still. */
type Answer = { stream: boolean; stuck: number | null }

/** How long an answer has to end by itself once its principal is shown out. */
const FAREWELL_MS = 500

/** Somebody at the door: one principal, by however many connections. */
export const createGuest = (house: McpHouse, limits: McpLimits, principal: Principal) => {
  const { seats } = house
  // No other keeps a seat by that name: not even the same principal, in another process or when it comes back.
  const who = `mcp/${house.newId()}`
  const links = new Set<Link>()
  const answers = new Map<ServerResponse, Answer>()
  const ends = new Set<() => void>()
  const underWay = new Set<Promise<unknown>>()
  let touched = steadyClock()
  let held = Number.NEGATIVE_INFINITY
  let over = false

  const wall = async (): Promise<string> => {
    const seat = principal.grant && (await seats.at(principal))
    return seat?.ok ? JSON.stringify([seat.value.spec.id, seat.value.spec.tools]) : ''
  }
  /** The session of an agent that is at work; null where none is. */
  const working = async (): Promise<string | null> => {
    const seat = principal.grant && (await seats.at(principal))
    return seat?.ok && seat.value.active ? seat.value.session : null
  }

  const isHere = (): boolean => answers.size > 0 || [...links].some(({ kind }) => kind === 'pipe')

  // One look after the other: what was known before is known before it is compared.
  let known = wall().catch(() => '')
  const compare = async (before: Promise<string>): Promise<string> => {
    const was = await before
    try {
      const is = await wall()
      if (is !== was && !over) for (const { notices } of links) notices.toolsChanged()
      return is
    } catch (error) {
      house.log('a seat could not be looked up', { error: (error as Error).message })
      return was
    }
  }

  return {
    principal,
    links,
    /** Notes that the client is there. */
    touch: (): void => {
      touched = steadyClock()
    },
    /** Whether it may come back; and whether it is there this very moment. */
    isExpected: (): boolean =>
      isHere() || steadyClock() - touched < limits.idleMs || [...links].some(({ kind }) => kind === 'session'),
    isHere,
    /** Notes an answer that is under way, until it is closed. */
    attend: (response: ServerResponse, stream: boolean): void => {
      answers.set(response, { stream, stuck: null })
      response.once('close', () => {
        touched = steadyClock()
        answers.delete(response)
      })
    },
    streams: (): number => [...answers.values()].filter(({ stream }) => stream).length,
    /** Cuts off who does not read: what is written for them would pile up. */
    cutStalled: (): void => {
      for (const [response, answer] of answers) {
        if (!response.writableNeedDrain) answer.stuck = null
        else answer.stuck ??= steadyClock()
        if (answer.stuck !== null && steadyClock() - answer.stuck >= limits.stallMs) response.destroy()
      }
    },
    answering: (): number => answers.size,
    /** Ends the streams that go on by themselves: what was asked for is still answered. */
    endStreams: (): void => {
      for (const [response, { stream }] of answers) if (stream) response.destroy()
    },
    /** Looks whether the tools are others now, and tells all connections if so. */
    look: async (): Promise<void> => {
      if (!principal.grant) return
      known = compare(known)
      await known
    },
    /** Keeps an agent's seat; unless it has to be done now, where that was not done a moment ago. */
    hold: async (now = false): Promise<void> => {
      if (!now && steadyClock() - held < limits.holdMs / 3) return
      const session = await working()
      if (session === null) return
      held = steadyClock()
      await house.hold(session, limits.holdMs, who)
    },
    /** Lets an agent's seat go when it has said good-bye, and stands there by no other way. */
    leave: async (): Promise<void> => {
      const stays = isHere() || [...links].some(({ kind }) => kind !== 'streams')
      const session = stays ? null : await working()
      if (session !== null) await house.release(session, who)
    },
    /** Notes work that writes to the evidence, until it is done; and resolves when all of it is. */
    during: async <T>(work: Promise<T>): Promise<T> => {
      underWay.add(work)
      try {
        return await work
      } finally {
        underWay.delete(work)
      }
    },
    settled: async (): Promise<void> => void (await Promise.allSettled(underWay)),
    /** What is to be done when it goes, until the function that it answers is called. */
    onEnd: (end: () => void): (() => void) => {
      ends.add(end)
      return () => ends.delete(end)
    },
    /** Shows it out: its sessions and streams end. */
    end: (): void => {
      if (over) return
      over = true
      for (const end of [...ends]) end()
      setTimeout(() => {
        for (const response of answers.keys()) response.destroy()
      }, FAREWELL_MS).unref()
    },
    ended: (): boolean => over,
  }
}
