import { sessionDraft } from '../../src/evidence/drafts.ts'
import type { Context, Operation } from '../../src/operations/operation.ts'
import { diff, rewind, undo } from '../../src/operations/undo.ts'
import { createUndo, type Holder } from '../../src/operations/undo-files.ts'
import type { Author, Body } from '../../src/shapes/evidence.ts'
import type { StepOutcome } from '../../src/shapes/turn.ts'
import { sayTo } from '../support/say-to.ts'
import { ADA, must, testStore } from '../support/store.ts'
import { contentsOf, testShadow } from '../workspace/shadow-folders.ts'

const ROWS: readonly Operation[] = [diff, undo, rewind]

/** Each agent has one session here. */
const SESSIONS = { 'claude-1': 's-1', 'codex-1': 's-2' } as const
type Agent = keyof typeof SESSIONS

const isPersons = ({ event }: Body): boolean => event === 'session-opened' || event === 'accepted'

/** A workspace that agents change step by step, and a room where people say what is to become of that. */
export const undoHouse = async (files: Record<string, string> = {}) => {
  const ws = await testShadow(files)
  const kept = await testStore()
  const { store } = kept
  const { shadow, workspace } = ws
  const holders = new Map<string, Omit<Holder, 'path'>>()
  const undo = createUndo({
    store,
    shadow,
    workspace,
    holders: async () => [...holders].map(([path, holder]) => ({ path, ...holder })),
    release: async () => {},
  })
  let made = 0
  const context = {
    person: { name: 'ada', role: 'operator', face: 'cli', via: null },
    room: 'lobby',
    elsewhere: async () => null,
    store,
    who: async () => [
      { id: 'claude-1', type: 'claude' },
      { id: 'codex-1', type: 'codex' },
    ],
    undo,
    newId: () => `u${++made}`,
  } as unknown as Context

  const write = async (agent: Agent, id: string, body: Body, inReplyTo?: string): Promise<void> => {
    const author: Author = isPersons(body) ? ADA : { kind: 'agent', id: agent, face: 'rehearsal', via: null }
    const reply = inReplyTo === undefined ? {} : { inReplyTo }
    must(
      await store.append([
        sessionDraft({ id, session: SESSIONS[agent], room: 'lobby', agent, author, body, ...reply }),
      ]),
    )
  }
  const open = (agent: Agent) =>
    write(agent, `${SESSIONS[agent]}.opened`, { event: 'session-opened', agent, room: 'lobby' })
  const begin = async (turn: string, agent: Agent = 'claude-1') => {
    if (!(await store.openSession('lobby', agent))) await open(agent)
    await write(agent, turn, { event: 'accepted', agent, room: 'lobby', peripheral: 'edit', request: 'work' })
    await write(agent, `${turn}.started`, { event: 'turn-started', turn }, turn)
  }
  const ended = async (step: string, outcome: StepOutcome, agent: Agent = 'claude-1') => {
    const turn = step.slice(0, step.lastIndexOf('.'))
    const call = { tool: 'edit', args: {} }
    await write(agent, `${step}.intent`, { event: 'step-intended', turn, step, call }, turn)
    await write(agent, `${step}.outcome`, { event: 'step-ended', turn, step, tool: 'edit', outcome }, `${step}.intent`)
  }
  const step = async (id: string, work: () => void, agent: Agent = 'claude-1') => {
    const before = await shadow.tree()
    work()
    const changes = await shadow.changes(before, await shadow.tree())
    await ended(id, { kind: 'ok', output: '', paths: [], cut: null, files: changes }, agent)
  }
  const end = (turn: string, agent: Agent = 'claude-1') =>
    write(agent, `${turn}.ended`, { event: 'turn-ended', turn, outcome: 'done', answer: 'done' }, turn)

  return {
    ...ws,
    store,
    undo,
    context,
    holders,
    put: (name: string, text: string): void => void ws.write(name, text),
    begin,
    step,
    ended,
    end,
    write,
    /** A whole turn, and all it does. */
    turn: async (id: string, works: (() => void)[], agent: Agent = 'claude-1'): Promise<void> => {
      await begin(id, agent)
      for (const [i, work] of works.entries()) await step(`${id}.${i}`, work, agent)
      await end(id, agent)
    },
    /** What a line in the room is answered. */
    say: sayTo(ROWS, context),
    /** What was written down of what was put back, in order. */
    written: async (agent: Agent = 'claude-1') =>
      (await store.chain(SESSIONS[agent])).flatMap(({ id, body, author, inReplyTo }) =>
        body?.event === 'restoring' || body?.event === 'restored' ? [{ id, author, inReplyTo, body }] : [],
      ),
    files: () => contentsOf(ws.root),
    [Symbol.asyncDispose]: async () => {
      await kept[Symbol.asyncDispose]()
      ws[Symbol.dispose]()
    },
  }
}

export type UndoHouse = Awaited<ReturnType<typeof undoHouse>>
