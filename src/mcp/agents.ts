import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server'
import type { Seat } from '../shapes/seat.ts'
import type { StepReport } from '../shapes/turn.ts'
import type { Guest } from './guest.ts'
import type { McpHouse, McpLimits } from './house.ts'
import type { Link } from './link.ts'
import { outsideError, outsideOf } from './outside.ts'
import { tellProgress } from './progress.ts'
import { refusalText, resultOf } from './step.ts'
import { toolsBehind } from './tools.ts'

type Options = { house: McpHouse; limits: McpLimits; guest: Guest; link: Link }

type Call = { name: string; arguments?: Record<string, unknown> | undefined }

/** The tools of an agent: those of the wall it stands behind, each call of them a step like every other. */
export const createAgentTools = ({ house, limits, guest, link }: Options) => {
  const { seats } = house
  const { principal } = guest

  const seat = async (): Promise<Seat> => {
    const found = await seats.at(principal)
    if (found.ok) return found.value
    throw new ProtocolError(ProtocolErrorCode.InvalidRequest, refusalText(found.refusal))
  }

  /** Says that a tool is not there; where no gate has seen the call, writes that down. */
  const refuseOutside = async (tool: string, { spec }: Seat, seen: boolean): Promise<never> => {
    const refusal = outsideOf(tool, spec)
    if (!seen) await house.refuseSparingly(principal.key, 'mcp', refusal)
    throw outsideError(refusal)
  }

  /** What a client is handed of a result. */
  const shown = ({ structuredContent, ...text }: CallToolResult): CallToolResult =>
    house.toolsOnly || !structuredContent ? text : { ...text, structuredContent }

  const take = async ({ name, arguments: args = {} }: Call, context: ServerContext): Promise<CallToolResult> => {
    const step = house.newId()
    const hush = await tellProgress(house, step, context)
    try {
      const { signal } = context.mcpReq
      const acted = await seats.act(principal, { tool: name, args }, { begins: true, signal, step, isNew: true })
      if (acted.ok) return await answer(name, acted.value, context)
      const { value: at } = (await seats.at(principal)) as { value?: Seat }
      if (at && !isIn(name, at)) return await refuseOutside(name, at, false)
      return shown(resultOf(null, { kind: 'refused', refusal: acted.refusal }))
    } finally {
      hush()
      await guest.hold()
    }
  }

  const answer = async (
    name: string,
    { step, report }: { step: string; report: StepReport },
    context: ServerContext,
  ): Promise<CallToolResult> => {
    if (report.kind === 'refused' && report.refusal.code === 'tool-not-allowed') {
      const at = await seat()
      if (!isIn(name, at)) return refuseOutside(name, at, true)
    }
    if (name === 'hop' && report.kind === 'ok') await settleHop(context)
    return shown(resultOf(step, report))
  }

  /** A client that lists its tools before it goes on has them all when it does. */
  const settleHop = async ({ mcpReq }: ServerContext): Promise<void> => {
    if (house.listsLate?.(principal)) {
      // On the stream of the call itself, so that it comes before the answer.
      await mcpReq.notify({ method: 'notifications/tools/list_changed' }).catch(() => {})
      return guest.look()
    }
    // It may have heard of the hop from the evidence, and listed, before its answer was here.
    await guest.look()
    await link.untilListed(limits.hopMs)
  }

  return {
    list: async (): Promise<Tool[]> => toolsBehind((await seat()).spec, house),
    call: (call: Call, context: ServerContext): Promise<CallToolResult> => guest.during(take(call, context)),
  }
}

const isIn = (tool: string, { spec }: Seat): boolean => spec.tools.some((name) => name === tool)
