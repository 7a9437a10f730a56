import { openApprovals } from '../evidence/approvals.ts'
import { BELLHOP, roomDraft, sessionDraft } from '../evidence/drafts.ts'
import { focusDraft, focusOf } from '../evidence/focus.ts'
import { settingOf } from '../evidence/room-settings.ts'
import type { Store } from '../evidence/store.ts'
import { threadOf } from '../evidence/threads.ts'
import type { Clock } from '../lib/clock.ts'
import type { Presence } from '../shapes/agent.ts'
import type { Author } from '../shapes/evidence.ts'
import type { Coverage, Mission, Portfolio } from '../shapes/mission.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { RoomMode } from '../shapes/room.ts'
import { isOver, type TurnView } from '../shapes/turn-view.ts'
import type { Control, Standpoint, TodoOrder, Told } from '../tools/control.ts'
import { coverageOf, NO_WORK } from './coverage.ts'
import { differencesOf } from './diff.ts'
import {
  coverageLines,
  diffText,
  inventoryText,
  missionText,
  NO_HISTORY,
  nextText,
  reviewText,
  sessionsText,
} from './lines.ts'
import { unknown } from './named.ts'
import { candidatesOf, rank } from './next.ts'
import { missionNamed } from './resolve.ts'
import { countsOf, reviewOf } from './review.ts'
import { lastReviews } from './reviews.ts'
import { scanMissions } from './scan.ts'
import { bulletin, type Situation } from './situation.ts'
import { todo } from './todo.ts'

type Options = {
  store: Store
  clock: Clock
  folders: readonly string[]
  who: () => Promise<Presence[]>
  /** All turns that have not ended, as people look at them. */
  openTurns: () => Promise<TurnView[]>
  /** How the budgets stand that hold in a room, a sentence each. */
  budgetsIn: (room: string) => Promise<string[]>
  roomMode: (room: string) => Promise<RoomMode>
  /** How the obligations of a mission stand, in a line; null where nobody has taken it up. */
  obligationsOf: (mission: string) => Promise<string | null>
}

/** Mission control: what missions say, what the evidence shows, and how it stands in the house. */
export const createControl = (options: Options) => {
  const { store, clock, folders } = options

  return (at: Standpoint): Control => {
    const { room, turn, step, author } = at
    const inReplyTo = `${step}.intent`
    const scan = (): Promise<Portfolio> => scanMissions({ folders, workspace: at.workspace, shows: at.shows })
    const covered = ({ missions }: Portfolio): Promise<Map<string, Coverage>> =>
      coverageOf(
        store,
        missions.map(({ id }) => id),
      )
    /** Who asked for the turn: what they wanted for the room is theirs, and was said through the agent. */
    const asked = async (): Promise<{ author: Author; by: string; person: boolean }> => {
      const who = (await store.get(turn))?.author ?? author
      const person = who.kind === 'person'
      return { author: person ? { ...who, via: who.via ?? at.agent } : BELLHOP, by: who.id, person }
    }

    const one = async (portfolio: Portfolio, name: string, say: (mission: Mission, coverage: Coverage) => string) => {
      const mission = missionNamed(portfolio, name)
      if (!mission) return unknown(name, portfolio)
      const coverage = (await coverageOf(store, [mission.id])).get(mission.id) ?? NO_WORK
      return told(say(mission, coverage), [mission])
    }

    /** One mission, whole. */
    const shown = async (portfolio: Portfolio, name: string): Promise<Result<Told>> => {
      const known = missionNamed(portfolio, name)
      const obligations = known ? await options.obligationsOf(known.id) : null
      return one(portfolio, name, (mission, coverage) => missionText(mission, { coverage, obligations }, clock()))
    }

    const focused = async (): Promise<Result<Told>> => {
      const focus = await focusOf(store, room)
      if (focus === null) return told(`${room} is focused on no mission; say /mission focus M-name`)
      return shown(await scan(), focus)
    }

    const keepFocus = async (mission: string | null): Promise<void> => {
      const { author: whose, by } = await asked()
      at.keep(focusDraft({ id: `${step}.focus`, room, author: whose, by, mission, inReplyTo }))
    }

    const focus = async (name: string): Promise<Result<Told>> => {
      const portfolio = await scan()
      const mission = missionNamed(portfolio, name)
      if (!mission) return unknown(name, portfolio)
      await keepFocus(mission.id)
      return told(`${room} is focused on ${mission.id} [${mission.status}]: ${mission.title}`, [mission])
    }

    const unfocus = async (): Promise<Result<Told>> => {
      await keepFocus(null)
      return told(`${room} is focused on no mission`)
    }

    return {
      folders,
      inventory: async (name: string | null): Promise<Result<Told>> => {
        const portfolio = await scan()
        if (name === null) return told(inventoryText(portfolio), portfolio.missions)
        return shown(portfolio, name)
      },

      coverage: async (name: string | null): Promise<Result<Told>> => {
        const portfolio = await scan()
        if (name !== null) return one(portfolio, name, ({ id }, coverage) => coverageLines([[id, coverage]], clock()))
        return told(coverageLines([...(await covered(portfolio))], clock()), portfolio.missions)
      },

      review: async (): Promise<Result<Told>> => {
        const portfolio = await scan()
        const review = reviewOf(portfolio, await covered(portfolio), clock())
        const body = { event: 'portfolio-reviewed', turn, step, snapshot: review.snapshot } as const
        at.keep(sessionDraft({ ...at, id: `${step}.portfolio`, body, inReplyTo }))
        return told(reviewText(review), portfolio.missions)
      },

      diff: async (): Promise<Result<Told>> => {
        const [last, before] = await lastReviews(store)
        if (!last) return told(NO_HISTORY.none)
        return told(before ? diffText(differencesOf(before.snapshot, last.snapshot)) : NO_HISTORY.one)
      },

      next: async (): Promise<Result<Told>> => {
        const portfolio = await scan()
        const ranked = rank(candidatesOf(portfolio.missions, await covered(portfolio), clock()))
        return told(nextText(ranked), portfolio.missions)
      },

      sessions: async (): Promise<Result<Told>> => {
        const sessions = await store.sessions(SESSIONS)
        const lines = await Promise.all(
          sessions.slice(0, LISTED).map(async (session) => {
            const steps = await store.count({ session: session.id, event: 'step-ended' })
            return { ...session, steps: steps.ok ? steps.value : 0 }
          }),
        )
        return told(sessionsText(lines, sessions.length))
      },

      focus: (name: string | null | undefined): Promise<Result<Told>> =>
        name === undefined ? focused() : name === null ? unfocus() : focus(name),

      watch: async (to: 'on' | 'off' | 'default'): Promise<Result<Told>> => {
        const set = to === 'default' ? null : to
        const { author: whose, person } = await asked()
        if (!person) return refused(refusal('role-too-low', 'how a room is set is for a person to say'))
        if ((await settingOf(store, room, 'bulletins')) !== set) {
          const body = { event: 'room-set', setting: 'bulletins', to: set } as const
          at.keep(roomDraft({ id: `${step}.set`, room, author: whose, body, inReplyTo }))
        }
        return told(`bulletins in ${room}: ${set ?? 'as the config says'}`)
      },

      todo: async (order: TodoOrder): Promise<Result<Told>> => {
        const { author: whose, by } = await asked()
        const { text, body } = await todo(store, room, order, by)
        if (body) at.keep(roomDraft({ id: `${step}.todo`, room, author: whose, body, inReplyTo }))
        return told(text)
      },

      closed: async (): Promise<string | null> => {
        const mode = await options.roomMode(room)
        return mode === 'execute' ? null : `the room is in ${mode}: files are changed in execute, say /mode execute`
      },

      bulletinText: async (): Promise<string> => {
        const { missions } = await scan()
        const open = (await options.openTurns()).filter((view) => view.turn !== turn && !isOver(view.state))
        const sessions = await store.sessions(SESSIONS)
        const running = open.filter(({ started }) => started !== null)
        return bulletin({
          sessions: { all: sessions.length, active: sessions.filter(({ peripheral }) => peripheral !== null).length },
          agents: (await options.who()).map(({ id, readiness, reason }) => ({
            id,
            standing: readiness === 'registered' && reason !== null ? 'not ready' : readiness,
            works: running.some(({ agent }) => agent === id),
          })),
          queue: { running: running.length, waiting: open.length - running.length },
          ...(await approvalsSeen(store, room, clock())),
          missions: { all: missions.length, counts: countsOf(missions) },
          focus: await focusOf(store, room),
          budgets: await options.budgetsIn(room),
        })
      },
    }
  }
}

/** As many sessions as are looked at, and listed. */
const SESSIONS = 200
const LISTED = 5

const told = (text: string, read: readonly Mission[] = []): Result<Told> =>
  ok({ text, paths: read.map(({ path }) => path) })

/** The approvals that wait, as a room may be told of them: its own and those of its threads; the others are counted. */
const approvalsSeen = async (
  store: Store,
  room: string,
  now: number,
): Promise<Pick<Situation, 'approvals' | 'elsewhere'>> => {
  const open = await openApprovals(store, now)
  const homes = await Promise.all(open.map(async (one) => [one.room, (await threadOf(store, one.room))?.room]))
  const here = open.filter((_one, i) => homes[i]?.includes(room))
  return {
    approvals: here.map(({ approval, agent, opens }) => ({ name: approval, agent, opens })),
    elsewhere: open.length - here.length,
  }
}
