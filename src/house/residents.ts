import { type Options as Attending, createAttending, type Resident } from '../agents/attend.ts'
import { type Conversations, createConversations } from '../agents/conversations.ts'
import { rehearse } from '../agents/rehearsal/rehearse.ts'
import type { createThinking } from '../agents/think.ts'
import { createTickle } from '../agents/tickle/mind.ts'
import type { Inhabitant } from '../agents/turns.ts'
import { openApprovals } from '../evidence/approvals.ts'
import { openParks } from '../evidence/parks.ts'
import type { TurnRecord } from '../evidence/store.ts'
import { steadyClock } from '../lib/clock.ts'
import type { Runner } from '../runners/runner.ts'
import type { AgentConfig, Probe } from '../shapes/agent.ts'
import type { Author } from '../shapes/evidence.ts'
import type { Failure } from '../shapes/runner.ts'
import type { Social } from '../social/pipeline.ts'
import { probeTools } from '../tools/probe.ts'
import { openHands } from './hands.ts'
import type { Parts } from './parts.ts'
import { homeOf, makeRunner, type ProgramName, programOf, signInLine } from './programs.ts'
import { tellingOf } from './telling.ts'

type Thinking = ReturnType<typeof createThinking>

/** How an agent of the house is run, once that is known. */
type Home = { runner: Runner; name: ProgramName } | { rehearses: string | null }

/** For how long an agent that failed is not asked again; and how often one that is not ready is looked at. */
const TROUBLE_MS = 60_000
const LOOK_MS = 15_000
/** Codex has all its conversations in one process; far more than rooms. */
const CODEX_CONVERSATIONS = 200

/** The agents of the house, as they are run here: by their programs, or as rehearsals. */
export const openResidents = async (parts: Parts, social: Social, thinking: Thinking) => {
  const { config, specs, store, live, progress, clock, log } = parts
  const hands = await openHands(parts, social)
  const homes = new Map<string, Home>()
  const runners = new Map<string, Promise<Runner | string>>()
  const troubles = new Map<string, { why: string; until: number }>()
  const looked = new Map<string, { probes: Probe[]; at: number }>()
  /** What was found when agents were looked at that another worker may speak for: they are at work here, too. */
  const found = new Map<string, { probes: Promise<Probe[]>; at: number }>()
  const talks = (most: number): Conversations =>
    createConversations({ clock: steadyClock, idleMs: config.runners.idleMinutes * 60_000, most, take: hands.take })
  const conversations = { claude: talks(config.runners.processes), codex: talks(CODEX_CONVERSATIONS) }

  const trouble = (agent: string, { message }: Failure): void => {
    troubles.set(agent, { why: message, until: steadyClock() + TROUBLE_MS })
    looked.delete(agent)
    found.delete(agent)
  }
  const troubleOf = (agent: string): string | null => {
    const known = troubles.get(agent)
    if (known && known.until > steadyClock()) return known.why
    troubles.delete(agent)
    return null
  }

  const attend = createAttending({
    store,
    live,
    progress: progress.say,
    upToDate: hands.upToDate,
    spending: parts.spending,
    retryMs: config.runners.retryMs,
    trouble,
    isWaiting: async ({ id, session }) =>
      (await openApprovals(store, clock())).some(({ turn }) => turn === id) ||
      (await openParks(store, clock(), { session })).some(({ turn }) => turn === id),
    isBusy: async ({ session }) => (await parts.ledgers.of(session)).open.size > 0,
    ...tellingOf(parts),
  } satisfies Attending)

  const peripheralsOf = ({ peripherals = [...specs.keys()] }: AgentConfig): string[] => [...peripherals]

  const grantFor = (agent: AgentConfig, room: string, session: string | null) => ({
    kind: 'agent' as const,
    agent: agent.id,
    type: agent.type,
    room,
    peripheral: agent.peripheral,
    peripherals: peripheralsOf(agent),
    // What may be done follows from who asked for the turn; hands alone may do nothing.
    role: 'viewer' as const,
    session,
  })

  const modelsFor = async (agent: AgentConfig, { room }: TurnRecord) => {
    const name = await parts.profileOf(room)
    const profile = name === null ? undefined : config.profiles[name]
    return { model: profile?.models[agent.type] ?? agent.model ?? null, fallback: agent.fallback ?? null }
  }

  const residentOf = (agent: AgentConfig, { runner, name }: { runner: Runner; name: ProgramName }): Resident => ({
    runner,
    name,
    conversations: conversations[name],
    signIn: signInLine(agent),
    clings: name === 'claude',
    deadlineMs: agent.deadlineMinutes * 60_000,
    quietMs: agent.quietSeconds * 1000,
    models: (turn) => modelsFor(agent, turn),
    give: ({ room, session }) => hands.give({ grant: grantFor(agent, room, session), runner: name }),
  })

  /** Agents that are run alike share a runner: one process of Codex has many conversations. */
  const runnerFor = async (agent: AgentConfig, name: ProgramName): Promise<Runner | string> => {
    const { program, version, provider, key } = agent
    const home = homeOf(agent, name, parts.folder)
    const alike = JSON.stringify([name, program, version, provider, key, home, name === 'claude' ? agent.id : null])
    const known = runners.get(alike)
    if (known !== undefined) return known
    const variables = parts.settings.variables ?? {}
    const machine = { config, folder: parts.folder, path: parts.settings.path, variables, log: log.warn }
    // Several are looked at side by side: whoever comes second waits for the same one.
    const made = makeRunner(agent, name, machine)
    runners.set(alike, made)
    if (typeof (await made) === 'string') runners.delete(alike)
    return made
  }

  /** Looks whether an agent's program works, and sees the tools that it should. */
  const probeProgram = async (agent: AgentConfig, name: ProgramName): Promise<Probe[]> => {
    const runner = await runnerFor(agent, name)
    if (typeof runner === 'string') return [{ name: 'program', ok: false, detail: runner }]
    const given = hands.give({ grant: grantFor(agent, PROBED, null), runner: name })
    try {
      const probes = await runner.probe(given, specs.get(agent.peripheral)?.tools ?? [])
      if (probes.every(({ ok }) => ok)) homes.set(agent.id, { runner, name })
      return probes
    } finally {
      hands.take(given)
    }
  }

  /** To look at a program takes long: one that did not work is not looked at at every beat. */
  const probedLately = async (agent: AgentConfig, name: ProgramName): Promise<Probe[]> => {
    const known = looked.get(agent.id)
    if (known && steadyClock() - known.at < LOOK_MS && known.probes.some(({ ok }) => !ok)) return known.probes
    const probes = await probeProgram(agent, name)
    looked.set(agent.id, { probes, at: steadyClock() })
    return probes
  }

  const probeRehearsal = (agent: AgentConfig): Promise<Probe[]> => {
    const spec = specs.get(agent.peripheral)
    if (spec) return probeTools(spec, parts.workspace, parts.settings.path)
    return Promise.resolve([{ name: 'peripheral', ok: false, detail: `there is no peripheral ${agent.peripheral}` }])
  }

  /** One that is to work in a checkout of its own has one. */
  const probeCheckout = async ({ id, worktree }: AgentConfig): Promise<Probe[]> => {
    if (!worktree) return []
    const wrong = await parts.checkouts.of(id).then(
      () => null,
      (error: Error) => error.message,
    )
    return [{ name: 'checkout', ok: wrong === null, detail: wrong ?? 'it has one' }]
  }

  const look = async (agent: AgentConfig): Promise<Probe[]> => {
    const name = programOf(agent)
    const tools = [...(await probeRehearsal(agent)), ...(await probeCheckout(agent))]
    const home = homes.get(agent.id)
    if (name === null || (home && 'rehearses' in home)) {
      homes.set(agent.id, home ?? { rehearses: null })
      return tools
    }
    const probes = await probedLately(agent, name)
    const failed = probes.find(({ ok }) => !ok)
    // One that has worked is not replaced by something else when it does not any more: that would be a surprise.
    if (!failed || agent.runner !== 'auto' || home) return [...tools, ...probes]
    homes.set(agent.id, { rehearses: `${failed.name}: ${failed.detail}` })
    return tools
  }

  /** What was found when an agent was looked at. */
  const probe = async (agent: AgentConfig): Promise<Probe[]> => {
    const why = troubleOf(agent.id)
    if (why !== null) return [{ name: 'model', ok: false, detail: why }]
    const probes = look(agent)
    found.set(agent.id, { probes, at: steadyClock() })
    return probes
  }

  /** The same, of one that was looked at before: one that works is not looked at again, and one that does not only now and then. */
  const probeOnce = async (agent: AgentConfig): Promise<Probe[]> => {
    const known = found.get(agent.id)
    if (!known || troubleOf(agent.id) !== null) return probe(agent)
    const probes = await known.probes.catch(() => null)
    if (probes?.every(({ ok }) => ok) || (probes && steadyClock() - known.at < LOOK_MS)) return probes
    return probe(agent)
  }

  /** A worker does an agent's turns as the one does that speaks for it: nobody is surprised by a rehearsal, or by the opposite. */
  const isAlike = async (id: string, home: Home): Promise<boolean> => {
    if ((await parts.registry.holderOf(id)) === parts.holder) return true
    const { activity = '' } = await parts.registry.presence(id)
    return activity.startsWith(REHEARSAL) === ('rehearses' in home && home.rehearses !== null)
  }

  const tickle = createTickle({
    missions: config.missions.folders[0] ?? 'missions',
    patterns: config.patterns.folders[0] ?? 'patterns',
  })

  return {
    hands,
    /** Who works as an agent. One that nobody has looked at here is looked at first: any worker may be given any turn. */
    inhabitantOf: async (id: string): Promise<Inhabitant | 'unknown' | 'not-here'> => {
      const agent = config.agents.find((known) => known.id === id)
      if (!agent) return 'unknown'
      const works = (await probeOnce(agent)).every(({ ok }) => ok)
      const home = homes.get(id)
      if (!works || !home || !(await isAlike(id, home))) return 'not-here'
      const face = 'rehearses' in home ? 'rehearsal' : home.name
      const author: Author = { kind: 'agent', id, face, via: null }
      if ('rehearses' in home) return { think: thinking(agent.type === 'tickle' ? tickle : rehearse), author }
      const resident = residentOf(agent, home)
      const think: Inhabitant['think'] = async (work, heard, write, signal) => {
        const left = hands.conduct(work.turn.session, () => write([]))
        return attend({ work, resident, heard, write, signal }).finally(left)
      }
      return { think, author }
    },
    probe,
    probeOnce,
    troubleOf,
    isAlike: async (id: string): Promise<boolean> => {
      const home = homes.get(id)
      return home !== undefined && isAlike(id, home)
    },
    /** What there is to say of how an agent is run: that it is a rehearsal, where it need not be. */
    noteOf: (id: string): string => {
      const home = homes.get(id)
      return home && 'rehearses' in home && home.rehearses !== null ? `${REHEARSAL}${home.rehearses})` : ''
    },
    /** Told before what runs is given up: it is resumed at the next start. */
    goDown: hands.goDown,
    /** Ends all programs: what they were at is resumed at the next start. */
    close: async (): Promise<void> => {
      await Promise.all(Object.values(conversations).map((talk) => talk.close()))
      await Promise.all(
        [...runners.values()].map(async (made) => {
          const runner = await made
          if (typeof runner !== 'string') await runner.close()
        }),
      )
      await hands.close()
    },
  }
}

const REHEARSAL = 'a rehearsal ('

/** A room that nobody is in: whoever is only looked at stands nowhere. */
const PROBED = 'probe'
