import { z } from 'zod'
import { sessionDraft } from '../evidence/drafts.ts'
import type { TurnRecord } from '../evidence/store.ts'
import { Id } from '../shapes/message.ts'
import { ExitCondition, type PeripheralSpec } from '../shapes/peripheral.ts'
import { authorOf } from '../shapes/person.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { Name } from '../shapes/room.ts'
import { type Context, defineOperation } from './operation.ts'
import { agentNamed } from './sessions.ts'

export const stop = defineOperation({
  name: 'stop',
  urgent: true,
  aliases: ['cancel'],
  summary:
    'stop what an agent is doing in this room, and what waits behind it, or one turn; without a name, everything here',
  example: 'stop codex-1 wrong branch',
  positional: ['agent', 'why'],
  rest: 'why',
  input: z.strictObject({
    agent: Id.optional().describe('whose work; or one turn, by its id'),
    why: z.string().max(500).default(''),
    turn: Id.optional().describe('this turn alone'),
  }),
  output: z.strictObject({ stopped: z.array(z.strictObject({ turn: Id, agent: Name })) }),
  role: 'operator',
  reads: false,
  offline: false,
  run: async ({ agent: name, why, turn: only }, context) => {
    const turns = await turnsMeant(name ?? null, only ?? null, context)
    if (!turns.ok) return turns
    for (const turn of turns.value) {
      const asked = await stopTurn(turn, why, context)
      if (!asked.ok) return asked
      context.wakeSteps(turn.session)
    }
    return ok({ stopped: turns.value.map(({ id, agent: of }) => ({ turn: id, agent: of })) })
  },
  render: ({ stopped }) =>
    stopped.length === 0
      ? 'nothing is being worked on here'
      : `stopping ${stopped.map(({ turn, agent }) => `${agent} (${turn})`).join(', ')}`,
})

/** The turns of the room that are meant: of an agent, one by its id, or all of them. */
const turnsMeant = async (
  name: string | null,
  only: string | null,
  { room, store, who }: Context,
): Promise<Result<TurnRecord[]>> => {
  if (room === null) return refused(refusal('room-unknown', 'work belongs to a room: ask in one'))
  const open = await store.unfinishedTurns({ room })
  // The id of a turn has a dot, and the name of an agent has none.
  if (name?.includes('.')) {
    const turn = open.find(({ id }) => id === name)
    return turn ? ok([turn]) : refused(refusal('turn-unknown', `${name} is no turn of ${room} that could be stopped`))
  }
  const here = await who()
  const agent = name === null ? null : agentNamed(name, here)
  // Who is at work here is known, also where it takes none from others.
  const known = [...here.map(({ id }) => id), ...open.map((turn) => turn.agent)]
  if (agent !== null && !known.includes(agent)) {
    return refused(
      refusal('agent-unknown', `there is no agent ${name}; there is ${here.map(({ id }) => id).join(', ')}`),
    )
  }
  return ok(open.filter((turn) => (agent === null || turn.agent === agent) && (only === null || turn.id === only)))
}

/** Says that a turn is to end: one that has not begun is taken out of the line. */
const stopTurn = async (turn: TurnRecord, why: string, { store, person }: Context): Promise<Result<unknown>> => {
  const { id, session, room, agent, status } = turn
  const draft = (how: { queued?: true }) => {
    const body = { event: 'stop-asked', turn: id, why, ...how } as const
    return sessionDraft({ id: `${id}.stop`, session, room, agent, author: authorOf(person), inReplyTo: id, body })
  }
  const removed = status === 'accepted' ? await store.append([draft({ queued: true })], null, `${id}.started`) : null
  if (removed?.ok) return removed
  // It may have begun just now, or somebody else was faster: then it is stopped, too.
  const asked = removed?.refusal.code === 'id-conflict' ? removed : await store.append([draft({})])
  return asked.ok || asked.refusal.code === 'id-conflict' ? ok(null) : asked
}

const HoldRow = z.strictObject({ path: z.string(), agent: z.string(), session: z.string(), until: z.iso.datetime() })

export const holds = defineOperation({
  name: 'holds',
  summary: 'which paths are with which agent, and until when',
  example: 'holds',
  positional: [],
  input: z.strictObject({}),
  output: z.strictObject({ holds: z.array(HoldRow) }),
  role: 'viewer',
  reads: true,
  offline: false,
  run: async (_input, { holds }) => ok({ holds: await holds.all() }),
  render: ({ holds }) =>
    holds.map(({ path, agent, until }) => `${path}: ${agent}, until ${until}`).join('\n') || 'no path is held',
})

export const release = defineOperation({
  name: 'release',
  summary: 'let go of a path that an agent holds: others may change it at once',
  example: 'release src/main.ts',
  positional: ['path'],
  rest: 'path',
  input: z.strictObject({ path: z.string().min(1) }),
  output: z.strictObject({ path: z.string(), agent: z.string().nullable() }),
  role: 'operator',
  reads: false,
  offline: false,
  run: async ({ path }, { holds }) => {
    const held = (await holds.all()).find((hold) => hold.path === path)
    if (held) await holds.release(held.session, path)
    return ok({ path, agent: held?.agent ?? null })
  },
  render: ({ path, agent }) => (agent ? `${path} is free; ${agent} had it` : `nobody holds ${path}`),
})

const ToolRow = z.strictObject({ name: z.string(), help: z.string() })
const PeripheralRow = z.strictObject({
  id: z.string(),
  purpose: z.string(),
  modes: z.array(z.string()),
  role: z.string(),
  sandbox: z.string(),
  tools: z.array(ToolRow),
  commands: z.array(z.string()),
  entry: z.array(z.string()),
  exit: z.array(z.string()),
})

/** A hop that a wall leads to, and when. */
const Way = z.strictObject({ from: z.string(), to: z.string(), when: ExitCondition })

export const peripherals = defineOperation({
  name: 'peripherals',
  summary: 'the walls agents work behind: their tools, commands, ways in and ways out',
  example: 'peripherals edit',
  positional: ['id'],
  input: z.strictObject({ id: z.string().optional() }),
  output: z.strictObject({ peripherals: z.array(PeripheralRow), ways: z.array(Way), whole: z.boolean() }),
  role: 'viewer',
  reads: true,
  offline: true,
  run: async ({ id }, { specs, helpOf }) => {
    const chosen = [...specs.values()].filter((spec) => id === undefined || spec.id === id)
    if (chosen.length === 0) {
      return refused(
        refusal('peripheral-unknown', `there is no peripheral ${id}; there is ${[...specs.keys()].join(', ')}`),
      )
    }
    return ok({
      peripherals: chosen.map((spec) => ({
        id: spec.id,
        purpose: spec.purpose,
        modes: spec.modes,
        role: spec.role,
        sandbox: spec.sandbox,
        tools: spec.tools.map((name) => ({ name, help: helpOf(name) })),
        commands: spec.commands.map(({ argv, approve }) => `${argv.join(' ')}${approve ? ' (with an approval)' : ''}`),
        entry: spec.entry,
        exit: spec.exit.map(({ when, to }) => `${when}: ${to.join(', ')}`),
      })),
      ways: waysIn(chosen),
      whole: id !== undefined,
    })
  },
  render: ({ peripherals, whole }) => peripherals.map(whole ? wholeText : lineText).join('\n'),
})

const waysIn = (specs: readonly PeripheralSpec[]): z.infer<typeof Way>[] =>
  specs.flatMap(({ id: from, exit }) => exit.flatMap(({ when, to: all }) => all.map((to) => ({ from, to, when }))))

type Row = z.infer<typeof PeripheralRow>

const lineText = ({ id, purpose, modes, tools }: Row): string =>
  `${id} (${modes.join(', ')}): ${purpose} ${tools.map(({ name }) => name).join(', ')}`

const wholeText = ({ id, purpose, modes, role, sandbox, tools, commands, entry, exit }: Row): string =>
  [
    `${id}: ${purpose}`,
    `rooms in ${modes.join(', ')}; role ${role}; sandbox ${sandbox}`,
    ...tools.map(({ help }) => `  ${help}`),
    ...(commands.length > 0 ? ['commands:', ...commands.map((argv) => `  ${argv}`)] : []),
    `entered by ${entry.join(', ')}`,
    ...(exit.length > 0 ? [`left when ${exit.join('; ')}`] : []),
  ].join('\n')
