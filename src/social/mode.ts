import { z } from 'zod'
import { type Operation, usageOf } from '../operations/operation.ts'
import { checkInput, inputFrom, nearest, words } from '../operations/parse.ts'
import type { MessageMode } from '../shapes/message.ts'
import type { Person } from '../shapes/person.ts'
import type { AgentGrant } from '../shapes/principal.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { RoomMode } from '../shapes/room.ts'
import { addressed, namesOf } from './mention.ts'
import type { Present } from './presence.ts'

/** A message whose sender is known; by the token it came with, where that was made for them, and what an agent's opens. */
export type Known = Present & { person: Person; token: string | null; grant: AgentGrant | null }

/** What a message asks for. */
export type Wish =
  | { kind: 'talk' }
  | { kind: 'command'; operation: Operation; input: Record<string, unknown> }
  | { kind: 'work'; agents: string[]; peripheral: string | null; request: string }

export type Classified = Known & { mode: MessageMode; roomMode: RoomMode; wish: Wish }

/** What the stage knows of the house: its commands, its peripherals and its agents. */
export type Vocabulary = {
  operations: readonly Operation[]
  peripherals: readonly string[]
  agents: readonly { id: string; type: string }[]
}

/** Stage 3. Is it coordination (talk, a command) or action (work), and what may the room do at present? */
export const mode = (known: Known, roomMode: RoomMode, vocabulary: Vocabulary): Result<Classified> => {
  const wish = wishOf(known, vocabulary)
  if (!wish.ok) return wish
  return ok({ ...known, roomMode, mode: wish.value.kind === 'work' ? 'action' : 'coordination', wish: wish.value })
}

const wishOf = ({ text, place, person, command: typed }: Known, vocabulary: Vocabulary): Result<Wish> => {
  if (typed) return typedCommand(typed, vocabulary)
  // What an agent says to nobody is for nobody: else two of them could talk for ever.
  const listener = person.agent ? null : place.listener
  const [, name, rest = ''] = /^\s*[/!]([A-Za-z][A-Za-z-]*)(?:\s+([\s\S]*))?$/.exec(text) ?? []
  if (name !== undefined) return command(name.toLowerCase(), rest, listener, vocabulary)
  return work(text, null, listener, vocabulary)
}

/** What a program gives that wants work done: whoever it names, and nobody that the request happens to mention. */
const Work = z.strictObject({ agent: z.string(), request: z.string().min(1) })

/** A command that a program gives as it is, without a line that would have to be read. */
const typedCommand = ({ name, input }: NonNullable<Known['command']>, vocabulary: Vocabulary): Result<Wish> => {
  const { operations, peripherals, agents } = vocabulary
  const work = peripherals.includes(name) ? Work.safeParse(input) : null
  if (work?.success && agents.some(({ id }) => id === work.data.agent)) {
    return ok({ kind: 'work', agents: [work.data.agent], peripheral: name, request: work.data.request })
  }
  if (work) return refused(refusal('command-invalid', `${name} takes an agent that is known here, and a request`))
  const operation = operations.find((row) => row.name === name)
  if (!operation) return refused(refusal('command-unknown', `there is no command /${name}`))
  const checked = checkInput(operation, input)
  return checked.ok ? ok({ kind: 'command', operation, input: checked.value }) : checked
}

const command = (name: string, rest: string, listener: string | null, vocabulary: Vocabulary): Result<Wish> => {
  const { operations, peripherals } = vocabulary
  const operation = operations.find((row) => row.name === name)
  if (operation) {
    const input = inputFrom(operation, words(rest))
    return input.ok ? ok({ kind: 'command', operation, input: input.value }) : input
  }
  if (peripherals.includes(name)) {
    const wish = work(rest, name, listener, vocabulary)
    if (wish.ok && wish.value.kind === 'work' && wish.value.request !== '') return wish
    return wish.ok ? refused(refusal('command-invalid', `usage: /${name} [@agent] REQUEST`)) : wish
  }
  const meant = nearest(name, [...operations.map((row) => row.name), ...peripherals])
  const row = operations.find((known) => known.name === meant)
  const hint = meant ? `; did you mean /${row ? usageOf(row) : meant}?` : ''
  return refused(refusal('command-unknown', `there is no command /${name}${hint}`))
}

/** A line for agents, or talk: whom it names, else the room's listener unless it names a person, else nobody. */
const work = (
  text: string,
  peripheral: string | null,
  listener: string | null,
  { agents }: Vocabulary,
): Result<Wish> => {
  const { named, request, misspelt, elsewhere } = addressed(text, agents)
  if (misspelt) {
    const meant = nearest(misspelt, namesOf(agents))
    return refused(refusal('agent-unknown', `there is no agent ${misspelt}; did you mean @${meant}?`))
  }
  const heard = named.length > 0 ? named : listener && !elsewhere ? [listener] : []
  return ok(heard.length > 0 ? { kind: 'work', agents: heard, peripheral, request } : { kind: 'talk' })
}
