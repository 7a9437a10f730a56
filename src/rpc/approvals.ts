import { type OpenApproval, openApprovals } from '../evidence/approvals.ts'
import type { Entry } from '../shapes/evidence.ts'
import { mayAct } from '../shapes/person.ts'
import type { Principal } from '../shapes/principal.ts'
import { refusal } from '../shapes/refusal.ts'
import type { Result } from '../shapes/result.ts'
import { ApprovalAnswer, type ApprovalParams, type RpcAnswer, type RpcId } from '../shapes/rpc.ts'
import { openStep } from '../status/step-items.ts'
import { refusalError } from './frame.ts'
import type { RpcHouse, Tell } from './house.ts'

type Options = {
  house: Pick<RpcHouse, 'store' | 'now'>
  principal: Principal
  tell: Tell
  /** Asks the client something. */
  ask: (id: RpcId, method: string, params: ApprovalParams) => void
  /** Says a command in a room, as the person whose client this is. */
  command: (room: string, name: string, input: Record<string, unknown>) => Promise<Result<unknown>>
}

type Asked = { approval: string; thread: string; turn: string; step: string }

/**
 * Puts to a client what waits for a person, and carries out what it answers: as the person, through the one door. Who
 * may not approve is not asked.
 */
export const createApprovals = ({ house, principal, tell, ask, command }: Options) => {
  const asked = new Map<RpcId, Asked>()
  const mayDecide = mayAct(principal.person.role, 'approver')
  let count = 0

  const put = (open: Omit<OpenApproval, 'session' | 'agent'>): void => {
    const { room: thread, turn, step, approval, call, why, opens, until } = open
    if (!mayDecide || [...asked.values()].some((one) => one.step === step)) return
    const id = `approval-${++count}`
    asked.set(id, { approval, thread, turn, step })
    const item = openStep({ turn, step, call }, [])
    ask(id, `item/${item.type}/requestApproval`, {
      threadId: thread,
      turnId: turn,
      itemId: step,
      approval,
      reason: why,
      opens,
      command: item.type === 'commandExecution' ? item.command : null,
      call,
      until,
      availableDecisions: ['accept', 'decline', 'cancel'],
    })
  }

  /** What was decided by anybody needs no answer any more; nor does what a turn left behind. */
  const settle = (thread: string, isIt: (one: Asked) => boolean): void => {
    for (const [requestId, one] of asked) {
      if (one.thread !== thread || !isIt(one)) continue
      asked.delete(requestId)
      tell('serverRequest/resolved', { threadId: thread, requestId })
    }
  }

  /** A no that ends the turn is a stop: what waits in it waits no more. */
  const decide = ({ approval, thread, turn }: Asked, { decision, note }: ApprovalAnswer): Promise<Result<unknown>> => {
    if (decision === 'cancel') return command(thread, 'stop', { turn, ...(note === undefined ? {} : { why: note }) })
    const yes = decision === 'accept' || decision === 'approved'
    return command(thread, yes ? 'approve' : 'deny', { approval, ...(note === undefined ? {} : { note }) })
  }

  return {
    see: (thread: string, { body }: Entry): void => {
      if (body?.event === 'approval-asked') put({ ...body, room: thread })
      if (body?.event === 'approval-decided') settle(thread, ({ step }) => step === body.step)
      if (body?.event === 'turn-ended') settle(thread, ({ turn }) => turn === body.turn)
    },
    /** Puts what waits in a thread already to whoever comes to it. */
    resume: async (thread: string): Promise<void> => {
      for (const open of await openApprovals(house.store, house.now())) if (open.room === thread) put(open)
    },
    /** What a client answered. An answer to nothing is nothing. */
    answer: async (answer: RpcAnswer): Promise<void> => {
      const one = asked.get(answer.id)
      if (!one) return
      const given = 'result' in answer ? ApprovalAnswer.safeParse(answer.result) : null
      const done = given?.success ? await decide(one, given.data) : UNREADABLE
      if (!done.ok) tell('error', { threadId: one.thread, requestId: answer.id, error: refusalError(done.refusal) })
    },
  }
}

/** It stays open: the person can still answer in a room. */
const UNREADABLE: Result<never> = {
  ok: false,
  refusal: refusal('request-invalid', 'expected {decision: accept, decline or cancel}; the approval is still open'),
}
