import type { CallToolResult, ServerContext, Tool } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { Id, MESSAGE_BYTES, type Receipt, Receipt as ReceiptShape } from '../shapes/message.ts'
import type { Principal } from '../shapes/principal.ts'
import { Name } from '../shapes/room.ts'
import { TurnOutcome } from '../shapes/turn.ts'
import type { McpHouse } from './house.ts'
import { refusalText } from './step.ts'
import { schemaOf } from './tools.ts'

export const SAY = 'say'

const Said = z.strictObject({
  text: z.string().min(1).max(MESSAGE_BYTES).describe('the line: "@codex find TODOs in src", "/mode diagnose"'),
  room: Name.optional().describe('the room it is said in; the first one, where none is named'),
  wait: z.number().min(0).max(600).default(45).describe('how many seconds to wait for the answers of agents'),
})

const Reply = z.strictObject({ agent: Name, turn: Id, outcome: TurnOutcome, answer: z.string() })
type Reply = z.infer<typeof Reply>

const Heard = z.strictObject({
  ...ReceiptShape.shape,
  replies: z.array(Reply),
  /** Whether all that were asked have answered. */
  complete: z.boolean(),
})

/** To say a line in a room, and to wait for what the agents answer. */
export const createSay = (house: McpHouse, { person, token }: Principal) => {
  const { store, feed } = house
  const first = house.rooms.find(({ faces }) => faces.includes(person.face))?.id ?? ''

  const replyTo = async ({ turn, agent }: Receipt['assignments'][number]): Promise<Reply | null> => {
    const body = (await store.get(`${turn}.ended`))?.body
    return body?.event === 'turn-ended' ? { agent, turn, outcome: body.outcome, answer: body.answer } : null
  }

  /** Waits until every turn has ended, or the time is up. */
  const replies = async ({ assignments }: Receipt, ends: AbortSignal): Promise<Reply[]> => {
    const look = async () => (await Promise.all(assignments.map(replyTo))).filter((reply) => reply !== null)
    const open = new Set(assignments.map(({ turn }) => turn))
    const ear = await listenFor(open, feed)
    try {
      for (const { turn } of await look()) ear.ended(turn)
      await Promise.race([ear.all, aborted(ends)])
      return await look()
    } finally {
      ear.stop()
    }
  }

  return {
    tool,
    call: async (args: unknown, { mcpReq }: ServerContext): Promise<CallToolResult> => {
      const said = Said.safeParse(args)
      if (!said.success) return wrong(z.prettifyError(said.error))
      const { text, room = first, wait } = said.data
      const credential = { token, as: null }
      const receipt = await house.say({ id: house.newId(), face: person.face, room, text, credential })
      if (!receipt.ok) return wrong(refusalText(receipt.refusal))
      const heard = await replies(receipt.value, AbortSignal.any([mcpReq.signal, AbortSignal.timeout(wait * 1000)]))
      const complete = heard.length === receipt.value.assignments.length
      return {
        content: [{ type: 'text', text: shown(receipt.value, heard, complete) }],
        structuredContent: { ...receipt.value, replies: heard, complete },
      }
    },
  }
}

const tool: Tool = {
  name: SAY,
  title: 'Say',
  description: 'say a line in a room: talk, a command, or work for an agent; waits for the answers',
  inputSchema: schemaOf(Said, 'input'),
  outputSchema: schemaOf(Heard, 'output'),
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
}

/** Hears of turns that end, until all that are waited for have. */
const listenFor = async (open: Set<string>, feed: McpHouse['feed']) => {
  let done = () => {}
  const all = new Promise<void>((resolve) => {
    done = resolve
  })
  const ended = (turn: string): void => {
    open.delete(turn)
    if (open.size === 0) done()
  }
  if (open.size === 0) done()
  const stop = await feed.listen(({ body }) => {
    if (body?.event === 'turn-ended') ended(body.turn)
  })
  return { all, ended, stop }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
    if (signal.aborted) resolve()
  })

const wrong = (message: string): CallToolResult => ({ content: [{ type: 'text', text: message }], isError: true })

const shown = ({ message, answer, assignments }: Receipt, replies: Reply[], complete: boolean): string =>
  [
    answer ?? `accepted as ${message}${assignments.map(({ agent }) => `, for ${agent}`).join('')}`,
    ...replies.map(({ agent, answer: said }) => `${agent}: ${said}`),
    ...(complete ? [] : ['still at work: ask for the status later']),
  ].join('\n')
