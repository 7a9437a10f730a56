import { BELLHOP, roomDraft, sessionDraft } from '../../src/evidence/drafts.ts'
import type { Store, TurnRecord } from '../../src/evidence/store.ts'
import type { Author, Body, BodyOf, Draft } from '../../src/shapes/evidence.ts'
import type { ToolCall } from '../../src/shapes/peripheral.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import type { StepOutcome } from '../../src/shapes/turn.ts'
import { ADA, must } from '../support/store.ts'

export const NONCE = 'k7mpq2xz'

export const agentAuthor = (id: string): Author => ({ kind: 'agent', id, face: 'worker', via: null })

/** One step of a turn that is made up: how it ended, that it was refused, or nothing where nobody knows. */
export type MadeStep = { call: ToolCall; outcome?: StepOutcome; refused?: string; reads?: string[] }

export type Made = {
  message: string
  session: string
  room?: string
  agent?: string
  request?: string
  by?: Author
  steps?: MadeStep[]
  fruit?: BodyOf<'peripheral-stopped'>['fruit']
  answer?: string
  outcome?: BodyOf<'turn-ended'>['outcome']
  /** How far it came; to its end where nothing is said. */
  until?: 'accepted' | 'running'
}

/** The id of the turn that a message leads to. */
export const turnId = ({ message, agent = 'claude-1' }: Pick<Made, 'message' | 'agent'>): string =>
  `${message}.${agent}`

const openedDraft = ({ session, room = 'lobby', agent = 'claude-1' }: Made): Draft =>
  sessionDraft({
    id: `${session}.opened`,
    session,
    room,
    agent,
    author: ADA,
    body: { event: 'session-opened', agent, room },
  })

/** A line of chat, the turn it leads to and all that comes of it, as the product writes it. */
const turnDraftsOf = (made: Made): Draft[] => {
  const { message, session, room = 'lobby', agent = 'claude-1', request = 'look', by = ADA, until } = made
  const turn = turnId(made)
  const author = agentAuthor(agent)
  const draft = (id: string, who: Author, body: Body, inReplyTo: string) =>
    sessionDraft({ id, session, room, agent, author: who, body, inReplyTo, tags: ['peripheral/explore'] })
  const assignments = [{ turn, session, agent, peripheral: 'explore' }]
  const accepted = [
    roomDraft({ id: message, room, author: by, body: { event: 'message', text: `@${agent} ${request}` } }),
    draft(turn, by, { event: 'accepted', agent, room, peripheral: 'explore', request, role: 'operator' }, message),
    roomDraft({
      id: `${message}.receipt`,
      room,
      author: BELLHOP,
      body: { event: 'assigned', assignments },
      inReplyTo: message,
    }),
  ]
  if (until === 'accepted') return accepted
  const wall = { event: 'peripheral-started' as const, turn, peripheral: 'explore', tools: ['read'], spec: 'x' }
  const begun = [
    draft(`${turn}.started`, author, { event: 'turn-started', turn }, turn),
    draft(`${turn}.peripheral`, author, wall, `${turn}.started`),
    ...(made.steps ?? []).flatMap((step, n) => stepDraftsOf(step, turn, n, (...given) => draft(...given))),
  ]
  if (until === 'running') return [...accepted, ...begun]
  const { fruit = { steps: made.steps?.length ?? 0, found: [] }, outcome = 'done', answer = 'done' } = made
  const stop = { event: 'peripheral-stopped', turn, peripheral: 'explore', reason: 'turn-ended', fruit } as const
  return [
    ...accepted,
    ...begun,
    draft(`${turn}.stopped`, author, stop, `${turn}.started`),
    draft(`${turn}.ended`, author, { event: 'turn-ended', turn, outcome, answer }, turn),
  ]
}

type Write = (id: string, who: Author, body: Body, inReplyTo: string) => Draft

const stepDraftsOf = (
  { call, outcome, refused, reads = [] }: MadeStep,
  turn: string,
  n: number,
  write: Write,
): Draft[] => {
  const step = `${turn}.${n}`
  const author = agentAuthor(turn.slice(turn.indexOf('.') + 1))
  if (refused !== undefined) {
    const no = refusal('out-of-scope', refused)
    return [write(`${step}.outcome`, author, { event: 'step-refused', turn, step, call, refusal: no }, turn)]
  }
  const intent = write(`${step}.intent`, author, { event: 'step-intended', turn, step, call, reads, writes: [] }, turn)
  const { tool } = call
  return outcome
    ? [intent, write(`${step}.outcome`, author, { event: 'step-ended', turn, step, tool, outcome }, `${step}.intent`)]
    : [intent]
}

export const ok = (output: string, paths: string[] = []): StepOutcome => ({ kind: 'ok', output, paths, cut: null })

export const readOf = (path: string, output: string): MadeStep => ({
  call: { tool: 'read', args: { path } },
  outcome: ok(output, [path]),
  reads: [path],
})

/** Writes turns down, in the order they are given; sessions are opened with their first. */
export const written = async (store: Store, ...turns: Made[]): Promise<void> => {
  const open = new Set<string>()
  for (const made of turns) {
    const opening = open.has(made.session) || (await store.session(made.session)) ? [] : [openedDraft(made)]
    open.add(made.session)
    must(await store.append([...opening, ...turnDraftsOf(made)]))
  }
}

export const turnIn = async (store: Store, made: Pick<Made, 'message' | 'agent'>): Promise<TurnRecord> => {
  const turn = await store.turn(turnId(made))
  if (!turn) throw new Error(`there is no turn ${turnId(made)}`)
  return turn
}

/** The lines that stand between no marks. */
export const outside = (text: string): string[] => {
  let quoted = false
  return text.split('\n').filter((line) => {
    const isMark = line.startsWith(`[[${NONCE} `)
    if (isMark) quoted = line !== `[[${NONCE} end]]`
    return !quoted && !isMark
  })
}

/** The lines of one block. */
export const inside = (text: string, label: string): string[] =>
  text.split(`[[${NONCE} ${label}]]\n`)[1]?.split(`\n[[${NONCE} end]]`)[0]?.split('\n') ?? []

/** The lines of one block, each as the value that it is. */
export const valuesIn = (text: string, label: string): unknown[] =>
  inside(text, label).map((line) => (line.startsWith('| ') ? JSON.parse(line.slice(2)) : line))
