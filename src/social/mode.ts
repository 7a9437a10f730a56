import { z } from 'zod'
import { nearest } from '../lib/nearest.ts'
import { type Operation, type RingsAs, usageOf } from '../operations/operation.ts'
import { checkInput, inputFrom, words } from '../operations/parse.ts'
import { agentCalled, HouseType, type KnownAgent } from '../shapes/agent.ts'
import type { MessageMode } from '../shapes/message.ts'
import { mayAct, type Person } from '../shapes/person.ts'
import type { AgentGrant } from '../shapes/principal.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { NETWORK_FACES, type RoomMode } from '../shapes/room.ts'
import { addressed, namesOf } from './mention.ts'
import type { Present } from './presence.ts'

/** A message whose sender is known; by the token it came with, where that was made for them, and what an agent's opens. */
export type Known = Present & { person: Person; token: string | null; grant: AgentGrant | null }

/** What a message asks for. */
export type Wish =
  | { kind: 'talk' }
  | { kind: 'command'; operation: Operation; input: Record<string, unknown> }
  | { kind: 'work'; agents: string[]; peripheral: string | null; request: string; bell?: RingsAs }

export type Classified = Known & { mode: MessageMode; roomMode: RoomMode; wish: Wish }

/** What the stage knows of the house: its commands, its peripherals and its agents. */
export type Vocabulary = {
  operations: readonly Operation[]
  peripherals: readonly string[]
  agents: readonly Pick<KnownAgent, 'id' | 'type' | 'peripheral' | 'peripherals'>[]
  /** How many agents one line may name. */
  mostNamed: number
}

/** Stage 3. Is it coordination (talk, a command) or action (work), and what may the room do at present? */
export const mode = (known: Known, roomMode: RoomMode, vocabulary: Vocabulary): Result<Classified> => {
  const wish = wishOf(known, vocabulary)
  if (!wish.ok) return wish
  return ok({ ...known, roomMode, mode: wish.value.kind === 'work' ? 'action' : 'coordination', wish: wish.value })
}

const wishOf = (known: Known, vocabulary: Vocabulary): Result<Wish> => {
  const { text, face, command: typed } = known
  if (typed) return typedCommand(typed, vocabulary)
  const listener = listenerFor(known, vocabulary)
  const [, mark, name, rest = ''] = /^\s*([/!])([A-Za-z][A-Za-z-]*)(?:\s+([\s\S]*))?$/.exec(text) ?? []
  if (name === undefined) return work(text, null, listener, vocabulary)
  const wish = command(name.toLowerCase(), rest, listener, vocabulary)
  // On networks other bots have commands of their own: what is not nearly one of ours is theirs.
  const theirs = mark === '!' && NETWORK_FACES.has(face) && meantBy(name.toLowerCase(), vocabulary) === null
  return theirs ? ok({ kind: 'talk' }) : wish
}

/**
 * Who hears a line that names nobody: of agents, bots and those who may ask for nothing, no one does. An agent that was set
 * to listen, and is known no longer, hears nothing: people talk on.
 */
const listenerFor = ({ person, place }: Known, { agents }: Vocabulary): string | null => {
  if (person.agent || person.sender?.bot || person.guest || !mayAct(person.role, 'operator')) return null
  return agents.some(({ id }) => id === place.listener) ? place.listener : null
}

/** What a program gives that wants work done: whoever it names, and nobody that the request happens to mention. */
const Work = z.strictObject({ agent: z.string(), request: z.string().min(1) })

/** A command that a program gives as it is, without a line that would have to be read. */
const typedCommand = ({ name, input }: NonNullable<Known['command']>, vocabulary: Vocabulary): Result<Wish> => {
  const { operations, peripherals, agents } = vocabulary
  const operation = operations.find((row) => row.name === name)
  const work = peripherals.includes(name) ? Work.safeParse(input) : null
  if (work?.success && agents.some(({ id }) => id === work.data.agent)) {
    return ok({ kind: 'work', agents: [work.data.agent], peripheral: name, request: work.data.request })
  }
  if (work && (work.success || !operation))
    return refused(refusal('command-invalid', `${name} takes an agent that is known here, and a request`))
  if (!operation) return refused(refusal('command-unknown', `there is no command /${name}`))
  const checked = checkInput(operation, input)
  return checked.ok ? wishFor(operation, checked.value, vocabulary) : checked
}

/** What a row of the table asks for: to be run, or work for an agent. */
const wishFor = (operation: Operation, input: Record<string, unknown>, { agents }: Vocabulary): Result<Wish> => {
  if (!operation.gives) return ok({ kind: 'command', operation, input })
  const { agent: name, ...work } = operation.gives(input)
  const agent = agentCalled(name, agents)
  if (agent) return ok({ kind: 'work', agents: [agent.id], ...work })
  const there = agents.map(({ id }) => id).join(', ')
  // Who is meant by a type is missing in the config; who is meant by a name was misspelt.
  const hint = HouseType.safeParse(name).success ? `; to have one, add an agent of the type ${name} to the config` : ''
  const message = `/${operation.name} is work for ${name}, which is not here; there is ${there}${hint}`
  return refused(refusal('agent-unknown', message))
}

const command = (name: string, rest: string, listener: string | null, vocabulary: Vocabulary): Result<Wish> => {
  const { operations, peripherals } = vocabulary
  const operation = operations.find((row) => row.name === name || row.aliases?.includes(name))
  // `/proof @claude …` is work behind that wall, and `/proof P-sum` is asked of the table.
  const isWork = peripherals.includes(name) && (rest.startsWith('@') || !operation)
  if (isWork) return workIn(name, rest, listener, vocabulary)
  if (operation) {
    const input = inputFrom(operation, words(rest))
    return input.ok ? wishFor(operation, input.value, vocabulary) : input
  }
  const meant = meantBy(name, vocabulary)
  const row = operations.find((known) => known.name === meant)
  const hint = meant ? `; did you mean /${row ? usageOf(row) : meant}?` : ''
  return refused(refusal('command-unknown', `there is no command /${name}${hint}`))
}

const workIn = (peripheral: string, rest: string, listener: string | null, vocabulary: Vocabulary): Result<Wish> => {
  const wish = work(rest, peripheral, listener ?? usualIn(peripheral, vocabulary), vocabulary)
  if (wish.ok && wish.value.kind === 'work' && wish.value.request !== '') return wish
  return wish.ok ? refused(refusal('command-invalid', `usage: /${peripheral} [@agent] REQUEST`)) : wish
}

/** The command that was probably meant; null where none was. */
const meantBy = (name: string, { operations, peripherals }: Vocabulary): string | null => {
  const names = [...operations.flatMap((row) => [row.name, ...(row.aliases ?? [])]), ...peripherals]
  return nearest(name, names)
}

/** Who works in a peripheral where nobody is named: who starts there, or else may. */
const usualIn = (peripheral: string, { agents }: Vocabulary): string | null =>
  (
    agents.find((agent) => agent.peripheral === peripheral) ??
    agents.find((agent) => agent.peripherals?.includes(peripheral) ?? true)
  )?.id ?? null

/** A line for agents, or talk: whom it names, else the room's listener unless it names a person, else nobody. */
const work = (
  text: string,
  peripheral: string | null,
  listener: string | null,
  { agents, mostNamed }: Vocabulary,
): Result<Wish> => {
  const { named, request, misspelt, elsewhere } = addressed(text, agents)
  if (named.length > mostNamed)
    return refused(refusal('mentions-exceeded', `it names ${named.length} agents, and one line may name ${mostNamed}`))
  if (misspelt) {
    const meant = nearest(misspelt, namesOf(agents))
    return refused(refusal('agent-unknown', `there is no agent ${misspelt}; did you mean @${meant}?`))
  }
  const heard = named.length > 0 ? named : listener && !elsewhere ? [listener] : []
  return ok(heard.length > 0 ? { kind: 'work', agents: heard, peripheral, request } : { kind: 'talk' })
}
