import { type Command, Option } from 'commander'
import type { Client } from '../client/client.ts'
import { oneLine, plain } from '../lib/plain.ts'
import type { ExecLine } from '../shapes/http.ts'
import type { Item, ItemEvent } from '../shapes/item.ts'
import type { Receipt } from '../shapes/message.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { print } from './print.ts'
import { instanceFor, millisecondsFrom, type Shell } from './shell.ts'

type Flags = {
  agent?: string
  peripheral?: string
  room?: string
  thread?: string
  resume?: boolean
  keep?: boolean
  json?: boolean
  timeout: string
  approve: 'never' | 'wait'
}
type Outcome = Extract<ExecLine, { kind: 'outcome' }>

/** What the program exits with; by Ctrl-C, with what a shell would say. */
const EXITS: Record<Outcome['outcome'], number> = { done: 0, failed: 1, refused: 2, timeout: 3, interrupted: 3 }
export const BY_SIGNAL = 130

/** `bellhop exec`: one turn for a script; items as they come, the answer, and an exit code that says how it ended. */
export const execCommand = (named: Command, { withFlags, settingsFrom }: Shell): void => {
  withFlags(named)
    .description('have one request done, for scripts: the answer on stdout, and the exit code says how it ended')
    .argument('<request...>', 'what is to be done')
    .option('--agent <name>', 'who is to do it; otherwise the one that listens in the room')
    .option('--peripheral <id>', 'behind which wall it begins; otherwise the agent’s own')
    .addOption(new Option('--room <room>', 'in which room; otherwise in a new thread').conflicts(['thread', 'resume']))
    .addOption(new Option('--thread <id>', 'go on in a thread; it stays open').conflicts('resume'))
    .option('--resume', 'go on in the thread that was begun last')
    .option('--keep', 'leave the new thread open, to go on with it')
    .option('--json', 'one JSON value a line: the receipt, the items as they come, the outcome')
    .option('--timeout <seconds>', 'when to give up; the turn is stopped then', '600')
    .addOption(new Option('--approve <how>', 'what needs an approval').choices(['never', 'wait']).default('wait'))
    .action(async (words: string[], flags: Flags) => {
      const timeout = AbortSignal.timeout(millisecondsFrom('--timeout', flags.timeout))
      const client = await instanceFor(settingsFrom(flags))
      const outcome = await exec(client, words.join(' '), flags, { timeout, stopped: untilSignal() })
      tellOutcome(outcome, flags.json === true)
      process.exitCode = outcome.exit
    })
}

/** What ends the wait before the turns end. */
export type Ends = { timeout: AbortSignal; stopped: AbortSignal }

/** From the first word on: whoever presses Ctrl-C early wants the turn to stop that was asked for at that moment. */
export const untilSignal = (): AbortSignal => {
  const stopped = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort())
  return stopped.signal
}

/** Whom a request begins with is who is meant: nobody else is to do it as well. */
const addressed = (given: string, flags: Flags): { request: string; flags: Flags } => {
  const [, agent, request] = /^\s*@([a-z][a-z0-9-]{0,31})[:,]?\s+(.+)$/s.exec(given) ?? []
  if (flags.agent !== undefined || agent === undefined || agent === 'all' || request === undefined)
    return { request: given, flags }
  return { request, flags: { ...flags, agent } }
}

const exec = async (client: Client, given: string, wanted: Flags, ends: Ends): Promise<Outcome> => {
  const { request, flags } = addressed(given, wanted)
  const wall = flags.peripheral === undefined ? null : await client.ask('peripherals', { id: flags.peripheral })
  if (wall?.ok === false) return refusedBy(wall.refusal)
  const place = await placeFor(client, request, flags)
  if (!place.ok) return refusedBy(place.refusal)
  const { room, agent, isOurs } = place.value
  if (agent === null && /^\s*[/!]/.test(request))
    return refusedBy(refusal('command-invalid', 'a request is no command'))
  const receipt = await client.say({ room, text: lineFor(request, agent, flags) })
  if (receipt.ok && flags.json) write({ kind: 'receipt', receipt: receipt.value })
  const outcome = receipt.ok ? await outcomeIn(client, receipt.value, flags, ends) : refusedBy(receipt.refusal)
  // What was only for this is put away; that it could not be does not change how the work ended.
  if (isOurs) await client.command('archive', { thread: room }).catch(() => null)
  return outcome
}

const outcomeIn = (client: Client, receipt: Receipt, flags: Flags, ends: Ends): Promise<Outcome> =>
  receipt.assignments.length > 0
    ? follow(client, receipt, flags, ends)
    : Promise.resolve(outcomeOf('failed', 'nobody took it up: name somebody with --agent'))

type Where = { room: string; agent: string | null; isOurs: boolean }

/** A thread of its own keeps what is asked here apart from what others ask; unless it is to go on somewhere. */
const placeFor = async (client: Client, request: string, flags: Flags): Promise<Result<Where>> => {
  if (flags.room !== undefined) return roomFor(client, flags.room, flags)
  if (flags.resume || flags.thread !== undefined) return threadFor(client, flags)
  const name = oneLine(request, NAME_LENGTH)
  const begun = await client.command('new', flags.agent === undefined ? { name } : { agent: flags.agent, name })
  if (!begun.ok) return begun
  const { id = '', agent: listener = null } = begun.value.output?.thread ?? {}
  if (flags.keep) process.stderr.write(`in ${id}: go on with --thread ${id}\n`)
  return ok({ room: id, agent: listener, isOurs: !flags.keep })
}

const roomFor = async (client: Client, room: string, { agent }: Flags): Promise<Result<Where>> => {
  const rooms = agent === undefined ? await client.ask('rooms') : ok({ rooms: [] })
  if (!rooms.ok) return rooms
  const listener = rooms.value.rooms.find(({ id }) => id === room)?.listener
  return ok({ room, agent: agent ?? listener ?? null, isOurs: false })
}

/** A thread is with its own agent, unless another is named. */
const threadFor = async (client: Client, { thread, agent }: Flags): Promise<Result<Where>> => {
  const found = thread === undefined ? await lastThread(client) : await threadNamed(client, thread)
  return found.ok ? ok({ room: found.value.id, agent: agent ?? found.value.agent, isOurs: false }) : found
}

type Found = Promise<Result<{ id: string; agent: string }>>

const lastThread = async (client: Client): Found => {
  const open = await client.ask('threads', { limit: 1 })
  if (!open.ok) return open
  const [last] = open.value.threads
  return last ? ok(last) : refused(refusal('thread-unknown', 'no thread is open: begin one with --keep, or with /new'))
}

const threadNamed = async (client: Client, id: string): Found => {
  const started = await client.ask('show', { entry: `${id}.thread` })
  const body = started.ok ? started.value.entry.body : null
  if (body?.event === 'thread-started') return ok({ id, agent: body.agent })
  return refused(refusal('thread-unknown', `there is no thread ${id}`))
}

const NAME_LENGTH = 60

/** A request as a line to its agent, where that is known: whatever it begins with, it is no command. */
const lineFor = (request: string, agent: string | null, { peripheral }: Flags): string =>
  [...(peripheral === undefined ? [] : [`/${peripheral}`]), ...(agent === null ? [] : [`@${agent}`]), request].join(' ')

/** Follows the turns to their end, and stops them where nobody waits for that any longer. */
const follow = async (client: Client, receipt: Receipt, flags: Flags, ends: Ends): Promise<Outcome> => {
  const heard = await listen(client, receipt, flags, ends)
  if (heard.whole) return outcomeOf(worstOf(heard.answers), heard.text)
  for (const { turn } of receipt.assignments) {
    await client.command('stop', { turn, why: WHY }, { room: receipt.room }).catch(() => null)
  }
  if (ends.stopped.aborted) return { ...outcomeOf('interrupted', heard.text), exit: BY_SIGNAL }
  return outcomeOf('timeout', heard.text)
}

/** What is done with what a turn does, while it is followed. */
type Shows = Pick<Flags, 'json' | 'approve'>

/** Follows the turns to their end, or as long as somebody waits: their answers, and whether that is all of them. */
export const listen = async (client: Client, receipt: Receipt, flags: Shows, { timeout, stopped }: Ends) => {
  const over = AbortSignal.any([timeout, stopped])
  const answers: Answer[] = []
  const last = new Map<string, Item['status']>()
  const note = (item: Item): void => {
    const turn = item.turn ?? ''
    if ('tool' in item) last.set(turn, item.status)
    // An agent says what it says: where the last thing it tried did not come off, the work is not done.
    else if (isAnswer(item)) answers.push(MISSED.has(last.get(turn) ?? 'completed') ? failed(item) : item)
  }
  const show = shower(client, receipt.room, flags, note)
  await Promise.all(receipt.assignments.map(({ turn }) => client.items({ turn }, show, over)))
  const text = answers.map((answer) => answer.text).join('\n')
  return { answers, text, whole: answers.length >= receipt.assignments.length }
}

const WHY = 'exec waits no longer'

/** How a step ends that did not come off. */
const MISSED: ReadonlySet<Item['status']> = new Set(['failed', 'declined'])

const failed = (answer: Answer): Answer => (answer.outcome === 'done' ? { ...answer, outcome: 'failed' } : answer)

type Answer = Extract<Item, { type: 'agentMessage' }>

/** What an agent says on the way has no outcome: that is not what was asked for. */
const isAnswer = (item: Item): item is Answer => item.type === 'agentMessage' && item.outcome !== null

/** What is done with each event of the turns. */
const shower = (client: Client, room: string, flags: Shows, ended: (item: Item) => void) => {
  const asked = async ({ approval }: Approval): Promise<void> => {
    if (flags.approve === 'wait') return
    // Where somebody else was faster, it is decided all the same.
    await client.command('deny', { approval, note: 'exec --approve never' }, { room }).catch(() => null)
  }
  return (event: ItemEvent): void => {
    if (flags.json) write(event)
    if (event.kind === 'delta') return
    const { kind, item } = event
    tellItem(event, flags)
    if (kind === 'completed') ended(item)
    if (kind === 'started' && item.type === 'approval') void asked(item)
  }
}

type Approval = Extract<Item, { type: 'approval' }>
type Whole = Exclude<ItemEvent, { kind: 'delta' }>

/** Whoever waits reads along; that a person is asked, also where a program reads. */
const tellItem = (event: Whole, { json }: Shows): void => {
  const line = json && event.item.type !== 'approval' ? null : lineOf(event)
  if (line !== null) process.stderr.write(`${plain(line)}\n`)
}

const WIDTH = 160

/** What somebody who waits reads of an event; null where that is nothing. */
const lineOf = ({ kind, item }: Whole): string | null => {
  if (item.type === 'approval') return approvalLine(item)
  if (item.type === 'agentMessage') return kind === 'completed' ? asideLine(item) : null
  if (!('tool' in item)) return null
  if (kind === 'started') return oneLine(`… ${item.tool} ${subjectOf(item)}`, WIDTH)
  const why = item.refusal?.message ?? item.message
  return `  ${oneLine(`${item.status}${why === null ? '' : `: ${why}`}`, WIDTH)}`
}

/** The answer itself is printed when all is over. */
const asideLine = ({ agent, text, outcome }: Answer): string | null => (outcome === null ? `${agent}: ${text}` : null)

const approvalLine = ({ approval, opens, why, until, decision }: Approval): string =>
  decision === null
    ? `waits for an approval, until ${until}: ${opens} (${why})\n  bellhop approve ${approval}, or bellhop deny ${approval}`
    : `${approval} is ${decision}`

const subjectOf = (item: Item): string => {
  if ('command' in item) return item.command
  if ('changes' in item) return item.changes.map(({ path }) => path).join(' ')
  if ('url' in item) return item.url
  if ('to' in item) return item.to
  return 'args' in item ? JSON.stringify(item.args) : ''
}

export const worstOf = (answers: readonly Answer[]): Outcome['outcome'] => {
  if (answers.some(({ outcome }) => outcome === 'failed')) return 'failed'
  return answers.some(({ outcome }) => outcome === 'cancelled') ? 'interrupted' : 'done'
}

export const outcomeOf = (outcome: Outcome['outcome'], answer: string): Outcome => ({
  kind: 'outcome',
  outcome,
  answer,
  exit: EXITS[outcome],
})

export const refusedBy = ({ code, message, remedy }: Refusal): Outcome =>
  outcomeOf('refused', `${message} [${code}]\n${remedy}`)

export const write = (line: ExecLine): void => print(JSON.stringify(line))

/** An answer is for whoever asked; why there is none is for whoever looks. */
const tellOutcome = (outcome: Outcome, json: boolean): void => {
  const { answer } = outcome
  if (json) {
    write(outcome)
    return
  }
  if (outcome.outcome === 'refused') process.stderr.write(`bellhop: ${plain(answer)}\n`)
  else if (answer !== '') print(plain(answer))
  if (outcome.outcome === 'timeout') process.stderr.write('bellhop: it took too long, and was stopped\n')
}
