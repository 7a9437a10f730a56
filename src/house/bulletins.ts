import { postDue } from '../bulletins/post.ts'
import { roomsTold } from '../bulletins/rooms.ts'
import { gatherSituation, type Sources } from '../bulletins/situation.ts'
import { situationLines } from '../bulletins/text.ts'
import { openApprovals } from '../evidence/approvals.ts'
import { standingsOf } from '../evidence/budgets.ts'
import { budgetsOf } from '../evidence/profiles.ts'
import { within } from '../lib/within.ts'
import { createSchedule } from '../queue/schedule.ts'
import { settingsWith } from '../shapes/bulletin.ts'
import type { Situation } from '../shapes/situation.ts'
import { everybody } from './health.ts'
import type { Parts } from './parts.ts'

/** How often it is seen to that the schedule is there; and how long Redis may take to say so. */
const KEEP_MS = 30_000
const REDIS_MS = 2000

/** The longest between two looks: who looks less often than a post may be late can miss every one. */
const MOST_SECONDS = 60

const sourcesOf = (parts: Parts): Sources => {
  const { store, config, book, clock, turnViews } = parts
  return {
    store,
    who: () => everybody(parts),
    turns: turnViews.open,
    approvals: () => openApprovals(store, clock()),
    standings: async (agent, room) =>
      standingsOf(book, { agent, room, turn: null }, await budgetsOf(store, { agent, room }, config)),
    missions: parts.missions.all,
    agents: config.agents.map(({ id }) => id),
    now: clock,
  }
}

/** How things stand in a room now, and in words. */
export const bulletinIn =
  (parts: Parts) =>
  async (room: string): Promise<{ situation: Situation; text: string }> => {
    const since = new Date(parts.clock() - DAY_MS).toISOString()
    const { budgetNear } = settingsWith(
      parts.config.bulletins,
      parts.config.rooms.find(({ id }) => id === room)?.bulletins,
    )
    const situation = await gatherSituation(sourcesOf(parts), { room, since, budgetNear })
    return { situation, text: situationLines(situation).join('\n') }
  }

const DAY_MS = 86_400_000

/** Looks once at every room that is told how things stand, and posts what is due there. */
const lookAtBulletins = async (parts: Parts): Promise<void> => {
  const { store, config, clock, log } = parts
  for (const { room, settings } of await roomsTold(store, config)) {
    const sources = sourcesOf(parts)
    const situationOf = (of: string, since: string | null) =>
      gatherSituation(sources, { room: of, since, budgetNear: settings.budgetNear })
    // What goes wrong in one room keeps no other from being told.
    const posted = await postDue({ store, situationOf, now: clock }, room, settings).catch((error: Error) => error)
    if (posted instanceof Error) log.warn('a room could not be told how it stands', { room, error: posted.message })
    else if (!posted.ok) log.warn('a bulletin could not be written down', { room, ...posted.refusal })
  }
}

/** Looks again and again, as often as what changes is gathered, and at every time of the schedules: one process of all that run. */
export const startBulletins = (parts: Parts): { stop: () => Promise<void> } => {
  const { config, redis, prefix, log } = parts
  const all = [config.bulletins, ...config.rooms.map(({ bulletins }) => bulletins)]
  const gathered = all.map((one) => one?.gatherSeconds ?? config.bulletins.gatherSeconds)
  const everyMs = Math.min(MOST_SECONDS, ...gathered) * 1000
  const schedule = createSchedule(
    { redis, prefix, name: 'bulletins' },
    everyMs,
    () => lookAtBulletins(parts),
    (error) => log.warn('bulletins were not looked at', { error: error.message }),
  )
  const keep = (): void => {
    within(REDIS_MS, schedule.keep()).catch((error: Error) =>
      log.warn('bulletins are not scheduled', { error: error.message }),
    )
  }
  keep()
  const timer = setInterval(keep, KEEP_MS).unref()
  return {
    stop: async () => {
      clearInterval(timer)
      await schedule.close()
    },
  }
}
