import { z } from 'zod'
import { sessionDraft } from '../evidence/drafts.ts'
import type { Live } from '../evidence/live.ts'
import type { SessionRecord, Store } from '../evidence/store.ts'
import { Author, type Body, type Entry } from '../shapes/evidence.ts'
import { Id } from '../shapes/message.ts'
import { type PeripheralSpec, ToolCall } from '../shapes/peripheral.ts'
import type { RoomMode } from '../shapes/room.ts'
import type { StepOutcome, StepReport } from '../shapes/turn.ts'
import { gate, type Passed } from '../tools/gate.ts'
import type { Workspace } from '../tools/paths.ts'

/** A tool call on its way to the gate: the nth of its turn. */
export const StepRequest = z.strictObject({
  session: Id,
  turn: Id,
  n: z.int(),
  author: Author,
  call: ToolCall,
})
export type StepRequest = z.infer<typeof StepRequest>

type Options = {
  store: Store
  live: Live
  specs: ReadonlyMap<string, PeripheralSpec>
  workspace: Workspace
  roomMode: (room: string) => Promise<RoomMode>
  /** Where programs are looked for. */
  path: string
  /** Where requests wait for their session's drain. */
  mailbox: {
    put: (session: string, item: string) => Promise<boolean>
    first: (session: string) => Promise<string | null>
    remove: (session: string, item: string) => Promise<void>
  }
  wake: (session: string) => Promise<void>
}

export type Steps = ReturnType<typeof createSteps>

const idOf = ({ turn, n }: Pick<StepRequest, 'turn' | 'n'>): string => `${turn}.${n}`

/**
 * Steps, in the order of their session, each an intent before and an outcome after the tool has run. A step that has
 * an outcome is never run again; one that has only an intent was interrupted, and is never run again either.
 */
export const createSteps = ({ store, live, specs, workspace, roomMode, path, mailbox, wake }: Options) => {
  const reportOf = async (step: string): Promise<StepReport | null> => {
    const entry = await store.get(`${step}.outcome`)
    if (entry?.body?.event === 'step-ended') return entry.body.outcome
    if (entry?.body?.event === 'step-refused') return { kind: 'refused', refusal: entry.body.refusal }
    return null
  }

  /** Asks for a step and waits for its report; null when the signal ended the wait. */
  const ask = async (request: StepRequest, signal: AbortSignal): Promise<StepReport | null> => {
    const step = idOf(request)
    const item = JSON.stringify(request)
    let woken = 0
    return live.until(async () => {
      const report = await reportOf(step)
      // Looking again at every hint, but asking again only now and then: Redis may have lost the request.
      if (report || Date.now() - woken < 2000) return report
      woken = Date.now()
      if (await mailbox.put(request.session, item)) await wake(request.session)
      return null
    }, signal)
  }

  const drain = async (session: string, signal: AbortSignal): Promise<void> => {
    const fence = await store.claim(`${session}/steps`)
    const write = async (drafts: Parameters<Store['append']>[0]): Promise<boolean> =>
      (await store.append(drafts, fence)).ok
    while (!signal.aborted) {
      const item = await mailbox.first(session)
      if (item === null) return
      const request = readRequest(item)
      // What cannot be read is taken out: nobody waits for it, and it must not stand in the way of what comes after.
      if (request && !(await run(request, write))) return
      await mailbox.remove(session, item)
    }
  }

  /** Deals with one request; answers whether what happened could be written down. */
  const run = async (request: StepRequest, write: Write): Promise<boolean> => {
    if (await reportOf(idOf(request))) return true
    const session = await store.session(request.session)
    // A step is its session's agent's own: what somebody else put in the box is taken out, and not run.
    return session && isOwn(request, session) ? take(request, session, write) : true
  }

  const take = async (request: StepRequest, session: SessionRecord, write: Write): Promise<boolean> => {
    const step = idOf(request)
    const entry = drafter(request, session)

    const begun = await store.get(`${step}.intent`)
    if (begun)
      return write([
        entry.ended({
          kind: 'interrupted',
          message: 'no outcome was written, as when a worker dies; it was not run again',
        }),
      ])

    const verdict = await gate(request.call, {
      spec: specs.get(session.peripheral ?? '') ?? null,
      mode: await roomMode(session.room),
      taken: request.n,
      workspace,
    })
    if (!verdict.ok) {
      const { turn, call } = request
      return write([entry.refused({ event: 'step-refused', turn, step, call, refusal: verdict.refusal })])
    }
    if (!(await write([entry.intended()]))) return false
    return write([entry.ended(await attempt(verdict.value, path))])
  }

  return { ask, drain }
}

const isOwn = ({ author }: StepRequest, { agent }: SessionRecord): boolean =>
  author.kind === 'agent' && author.id === agent

type Write = (drafts: Parameters<Store['append']>[0]) => Promise<boolean>

const readRequest = (item: string): StepRequest | null => {
  try {
    return StepRequest.parse(JSON.parse(item))
  } catch {
    return null
  }
}

/** Runs a tool; what it throws is an outcome like any other. */
const attempt = async (passed: Passed, path: string): Promise<StepOutcome> => {
  try {
    return await passed.run({ path, signal: new AbortController().signal })
  } catch (error) {
    return { kind: 'failed', message: (error as Error).message }
  }
}

/** The entries of one step: the intent answers the turn, the outcome answers the intent. */
const drafter = ({ turn, n, author, call }: StepRequest, { id: session, room, agent, peripheral }: SessionRecord) => {
  const step = idOf({ turn, n })
  const draft = (id: string, body: Body, inReplyTo: string) =>
    sessionDraft({
      id,
      session,
      room,
      agent,
      author,
      body,
      inReplyTo,
      tags: [`tool/${tagOf(call.tool)}`, `peripheral/${peripheral ?? 'none'}`],
    })
  return {
    intended: () => draft(`${step}.intent`, { event: 'step-intended', turn, step, call }, turn),
    refused: (body: Extract<Entry['body'], { event: 'step-refused' }>) => draft(`${step}.outcome`, body, turn),
    ended: (outcome: StepOutcome) =>
      draft(`${step}.outcome`, { event: 'step-ended', turn, step, tool: call.tool, outcome }, `${step}.intent`),
  }
}

/** A tool's name comes from an agent: only what a tag may hold of it. */
const tagOf = (tool: string): string => tool.replace(/[^A-Za-z0-9._-]/g, '').slice(0, 64) || 'none'
