import { z } from 'zod'
import type { Compaction } from '../evidence/keep.ts'
import type { People } from '../evidence/people.ts'
import type { SessionRecord, Store } from '../evidence/store.ts'
import type { Book } from '../evidence/usage.ts'
import type { Presence } from '../shapes/agent.ts'
import type { Act, Way } from '../shapes/bell.ts'
import type { Config } from '../shapes/config.ts'
import type { Digest } from '../shapes/digest.ts'
import type { Health } from '../shapes/http.ts'
import type { JsonSchema } from '../shapes/json-schema.ts'
import { Assignment } from '../shapes/message.ts'
import type { NetworkStanding } from '../shapes/networks.ts'
import type { LaneNow } from '../shapes/now.ts'
import type { Obligations } from '../shapes/obligation.ts'
import type { Patterns } from '../shapes/pattern.ts'
import type { AnyTool, ExitCondition, PeripheralSpec, ToolCall } from '../shapes/peripheral.ts'
import type { Person, Role } from '../shapes/person.ts'
import type { Outlook } from '../shapes/portfolio.ts'
import type { PlaceOfPosts, Post } from '../shapes/post.ts'
import type { ProcessFacts } from '../shapes/process.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { type Result, refused } from '../shapes/result.ts'
import type { Face, Room, RoomMode } from '../shapes/room.ts'
import type { Acted, Ended, Seat } from '../shapes/seat.ts'
import type { Situation } from '../shapes/situation.ts'
import type { Source } from '../shapes/tickle.ts'
import type { Judged, Tried } from '../shapes/trial.ts'
import { TurnOutcome } from '../shapes/turn.ts'
import type { TurnView } from '../shapes/turn-view.ts'
import type { Proof, StoreVerdict, Violation } from '../shapes/verdict.ts'
import type { WorldGame, WorldLook } from '../shapes/world.ts'
import type { Works } from '../tickle/work.ts'
import type { Checkouts } from '../workspace/checkouts.ts'
import type { Undo } from './undo-files.ts'

/** The work queue, and what can become work: the open boxes of a mission, the open issues of a repository. */
type WorkSources = {
  works: Works
  boxesOf: (mission: string) => Promise<Result<Source[]>>
  issues: (repository: string, label: string | null) => Promise<Result<Source[]>>
  /** The repository that is meant where none is named. */
  repository: string | null
}

/** The seat of the agent that asks, or of whoever works by hand in the room: where they stand, and how they work. */
export type SeatDoor = {
  at: () => Promise<Result<Seat>>
  /** The same id again goes on with what it began. */
  start: (how: Partial<Record<'peripheral' | 'request' | 'id', string | undefined>>) => Promise<Result<Seat>>
  act: (call: ToolCall, step: string | undefined) => Promise<Result<Acted>>
  leave: (how: { answer: string; outcome: 'done' | 'failed' }) => Promise<Result<Ended | null>>
  /** What a tool takes, as JSON Schema; null where there is no such tool. */
  takes: (tool: string) => Promise<JsonSchema | null>
}

/** The gate, for whoever only wants to know what it would say. */
type Gatehouse = {
  judge: (tried: Tried) => Promise<Result<Judged>>
  /** What a tool takes, as JSON Schema; null where there is no such tool. */
  takes: (tool: string) => Promise<JsonSchema | null>
  /** What must be true for a wall to be left on a condition. */
  saysOf: (when: ExitCondition) => string
}

/** What an operation can reach. Who asks, and where, is filled in by the face, never taken from the input. */
export type Context = {
  person: Person
  /** The seat of an agent, or the one that a person works in by hand; null for a person outside of a room. */
  seat: SeatDoor | null
  /** The room it was asked in; null where the face has none. */
  room: string | null
  store: Store
  who: () => Promise<Presence[]>
  rooms: readonly Room[]
  /** What the config says of agents, of profiles, of prices, of networks and of people. */
  config: Pick<Config, 'agents' | 'profiles' | 'profile' | 'prices' | 'networks' | 'people' | 'bulletins'>
  /** Tickle's work queue, and where work comes from besides. */
  tickle: WorkSources
  /** How the obligations of a mission stand, held against its file. */
  obligationsOf: (mission: string) => Promise<Result<Obligations>>
  /** Who is who on the networks. */
  people: People
  /** Turns as people look at them: one of them, and all that have not ended. */
  turns: { of: (turn: string) => Promise<TurnView | null>; open: () => Promise<TurnView[]> }
  /** What a room reads of an entry, and which room that is; null where it reads nothing of it. */
  postOf: (id: string) => Promise<{ room: string; text: string } | null>
  /** Whether there is such a room or thread; and what people read there, from a place back or onward. */
  /** Whether there is such a room or thread, and it is open to a face. */
  isOpenTo: (room: string, face: Face) => Promise<boolean>
  postsAt: (at: PlaceOfPosts) => Promise<{ posts: Post[]; more: boolean }>
  /** What of the house is up. */
  health: () => Promise<Health>
  /** The processes of the instance, and its lanes; none where they cannot be known. */
  processes: () => Promise<ProcessFacts[]>
  lanes: () => Promise<LaneNow[]>
  /** How it stands with a network; null where nobody is on it. */
  standingOf: (network: string) => Promise<NetworkStanding | null>
  /** How things stand in a room now, and in words. */
  bulletinOf: (room: string) => Promise<{ situation: Situation; text: string }>
  /** The patterns: those that have the words, or all; rooms are named as far as whoever asks may look there. */
  patterns: (query: string | null, mayLook: (room: string) => Promise<boolean>) => Promise<Patterns>
  /** The games in text worlds: those that were begun last, and one of them whole. */
  worlds: {
    list: () => Promise<WorldGame[]>
    roomOf: (game: string) => Promise<string | null>
    look: (game: string) => Promise<WorldLook | null>
  }
  /** What everybody has used. */
  book: Book
  /** The ids and types of the house's own agents. */
  residents: readonly string[]
  roomMode: (room: string) => Promise<RoomMode>
  specs: ReadonlyMap<string, PeripheralSpec>
  /** Proves a chain, and says every check. */
  verify: (session: string) => Promise<Proof>
  /** Which files are not what a session left. */
  verifyFiles: (session: string) => Promise<Violation[]>
  /** Verifies the store as a whole, also against a head that somebody kept elsewhere. */
  verifyStore: (kept: { position: number; root: string } | null) => Promise<StoreVerdict>
  digest: (session: string) => Promise<{ digest: Digest; text: string }>
  compact: (dry: boolean) => Promise<Result<Compaction>>
  closeSession: (session: SessionRecord, reason: string) => Promise<Result<null>>
  undo: Undo
  /** The agents that work in a checkout of their own, and what becomes of what they do there. */
  checkouts: Pick<Checkouts, 'merge' | 'state'> & { agents: readonly string[] }
  /** What a tool takes and does, in a line. */
  helpOf: (tool: AnyTool) => string
  /** Missions, and what was done for them. */
  outlook: Outlook
  gatehouse: Gatehouse
  holds: {
    all: () => Promise<{ path: string; session: string; agent: string; until: string }[]>
    release: (session: string, path: string | null) => Promise<void>
  }
  /** Why the files that a room's work is done on cannot be looked at here; null where they can, or no room is meant. */
  elsewhere: (room: string | null) => Promise<Refusal | null>
  /** Tells the workers that something was decided about a session's steps. */
  wakeSteps: (session: string) => void
  now: () => number
  newId: () => string
}

/**
 * One row of the table of what can be asked of Bellhop. Chat commands, CLI subcommands and HTTP routes are made from
 * it; nothing else says what they take, what they answer, or who may ask.
 */
export type Operation<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> = {
  name: string
  /** The command it is a part of on the command line, and its name there where it is another. */
  group?: 'evidence' | 'token'
  alias?: string
  /** Further names it has over HTTP. */
  also?: readonly string[]
  /** Further names it has in chat. */
  aliases?: readonly string[]
  /** Whether it stands at the top of the command line too. */
  alone?: boolean
  /** Whether it needs the files of the room it is asked in: where they are elsewhere, it is refused. */
  files?: boolean
  /** Whether it may take long: the command line then reads the store itself. */
  long?: boolean
  summary: string
  example: string
  /** The names of inputs that may be given without a name, in order. */
  positional: readonly (keyof z.infer<Input> & string)[]
  /** The last of these, where it is a text that may go on without quotes. */
  rest?: keyof z.infer<Input> & string
  /** Whether that takes all words that are left, each for itself, whatever they look like. */
  words?: boolean
  input: Input
  output: Output
  role: Role
  /** Whether it is also for guests: people whom nobody gave a role. */
  open?: boolean
  /** Whether it is for agents, who have a seat, and not for people. */
  agents?: boolean
  /** The role of people who say it in a room all the same, because they work by hand. */
  byHand?: Role
  /** Whether it is never made to wait, however much is said: it stops something, or decides what waits for a person. */
  urgent?: true
  /** Whether it only looks. What changes something goes through a room, and through the whole pipeline. */
  reads: boolean
  /** Whether it can be asked of a data folder that no instance runs on: it needs nothing but the evidence. */
  offline: boolean
  run: (input: z.infer<Input>, context: Context) => Promise<Result<z.infer<Output>>>
  /** The work it is, where it is work for an agent: then it is given out as if it had been asked for, and not run. */
  gives?: (input: z.infer<Input>) => Gives
  /** Whether that is told, and not asked: on the command line nobody waits for what comes of it. */
  tells?: true
  /** The answer as a room reads it. */
  render: (output: z.infer<Output>) => string
  /** What is for whoever asked alone: no room reads it, and no evidence has it. */
  whisper?: (output: z.infer<Output>) => string | null
  /** Whether a script that asked should go on; yes, where it is not said. */
  passes?: (output: z.infer<Output>) => boolean
}

/** Work for an agent, by its id or its type; in the peripheral where it starts, where none is named. */
export type Gives = { agent: string; peripheral: string | null; request: string; bell?: RingsAs }

/** The bell that work is given by: how it is rung, as which act, and the bell that it refers to, as it was named. */
export type RingsAs = { way: Way; act: Act; ref: string | null }

/**
 * What a row answers that gives work: what was given to whom. The agent's answer comes when it has one; where a door waits
 * for that, it is here, or null where the time was up.
 */
export const Given = z.strictObject({
  assignments: z.array(Assignment),
  answer: z.strictObject({ outcome: TurnOutcome, text: z.string() }).nullable().optional(),
})

type WorkRow<Input extends z.ZodObject> = Pick<
  Operation<Input>,
  'name' | 'aliases' | 'summary' | 'example' | 'positional' | 'rest' | 'input' | 'tells'
> & { gives: (input: z.infer<Input>) => Gives }

/** A row that is work for an agent: a word for what one could also ask it for. */
export const defineWork = <const Name extends string, Input extends z.ZodObject>(
  row: WorkRow<Input> & { name: Name },
): Defined<Name, Typed<Input, typeof Given, false, false>> =>
  defineOperation({
    ...row,
    output: Given,
    role: 'operator',
    reads: false,
    offline: false,
    run: async () => refused(refusal('command-invalid', `/${row.name} is work for an agent: say it in a room`)),
    render: ({ assignments, answer }) =>
      answer ? answer.text : assignments.map(({ agent, turn }) => `${agent} has it (${turn})`).join('\n'),
  })

/** A row of the table, and what a program that knows it by its name takes and answers: types alone. */
export type Defined<Name extends string, Types> = Operation & { name: Name; types?: Types }

type Typed<Input extends z.ZodObject, Output extends z.ZodType, Reads, Agents> = {
  reads: Reads
  agents: Agents
  input: Taken<Input>
  output: z.output<Output>
}

/** What a program hands in. Where a row takes a text for something, too, that is for people who type. */
type Taken<Input extends z.ZodObject> = {
  [Key in keyof z.input<Input>]: unknown extends z.input<Input>[Key]
    ? z.output<Input>[Key & keyof z.output<Input>]
    : z.input<Input>[Key]
}

export const defineOperation = <
  const Name extends string,
  Input extends z.ZodObject,
  Output extends z.ZodType,
  const Reads extends boolean,
  const Agents extends boolean = false,
>(
  row: Operation<Input, Output> & { name: Name; reads: Reads; agents?: Agents },
): Defined<Name, Typed<Input, Output, Reads, Agents>> => {
  const run: typeof row.run = async (input, context) => {
    const away = await context.elsewhere(context.room)
    return away ? refused(away) : row.run(input, context)
  }
  return (row.files ? { ...row, run } : row) as unknown as Defined<Name, Typed<Input, Output, Reads, Agents>>
}

/** The role that people need for a row; null where it is for agents alone. */
export const roleOfPeople = ({ role, agents, byHand }: Operation): Role | null => (agents ? (byHand ?? null) : role)

/** How a row is used, such as `mode [to]`. */
export const usageOf = ({ name, positional, input }: Operation): string => {
  const optional = (key: string): boolean => input.shape[key]?.safeParse(undefined).success === true
  const named = Object.keys(input.shape).filter((key) => !positional.includes(key))
  return [
    name,
    ...positional.map((key) => (optional(key) ? `[${key}]` : key.toUpperCase())),
    ...named.map((key) => `[${key}=…]`),
  ].join(' ')
}
