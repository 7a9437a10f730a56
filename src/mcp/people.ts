import type { CallToolResult, ServerContext, Tool } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Operation } from '../operations/operation.ts'
import { checkInput } from '../operations/parse.ts'
import { shownAs } from '../operations/shown.ts'
import { mayAct } from '../shapes/person.ts'
import type { Principal } from '../shapes/principal.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { Name } from '../shapes/room.ts'
import type { McpHouse } from './house.ts'
import { outsideError, outsideRole } from './outside.ts'
import { createSay, SAY } from './say.ts'
import { refusalText } from './step.ts'
import { schemaOf } from './tools.ts'

type Args = Record<string, unknown>
type Call = { name: string; arguments?: Args | undefined }

/**
 * The tools of a person: what can be asked of Bellhop, as far as the role goes. What only looks is done at once; what
 * changes something is said in a room, like everything that people do.
 */
export const createPersonTools = (house: McpHouse, principal: Principal) => {
  const { person, token } = principal
  const rows = house.operations.filter((row) => !row.agents && mayAct(person.role, row.role))
  const say = mayAct(person.role, 'operator') ? createSay(house, principal) : null
  const room = house.rooms.find(({ faces }) => faces.includes(person.face))?.id ?? ''

  const names = (): string[] => [...(say ? [SAY] : []), ...rows.map(({ name }) => name)]

  const ask = async (row: Operation, args: Args): Promise<CallToolResult> => {
    const input = checkInput(row, args)
    const answer = input.ok ? await row.run(input.value, house.contextFor(person)) : input
    if (!answer.ok) return failure(answer.refusal)
    return { content: [text(row.render(answer.value))], structuredContent: answer.value as Args }
  }

  const command = async (row: Operation, args: Args): Promise<CallToolResult> => {
    const { named, input } = aimed(row, args)
    const where = Name.safeParse(named ?? room)
    if (!where.success) return failure(refusal('room-unknown', 'room: expected the name of a room'))
    const heard: { structuredContent?: Args } = {}
    const message = {
      id: house.newId(),
      face: person.face,
      room: where.data,
      text: shownAs(row, input),
      command: { name: row.name, input },
      credential: { token, as: null },
    }
    const receipt = await house.say(message, (output) => {
      heard.structuredContent = output as Args
    })
    if (!receipt.ok) return failure(receipt.refusal)
    // What is given to an agent is answered by what was given.
    const given = heard.structuredContent && receipt.value.answer === null ? row.render(heard.structuredContent) : ''
    return { content: [text(receipt.value.answer ?? given)], ...heard }
  }

  const outside = async (name: string): Promise<never> => {
    const refused = outsideRole(name, person.role, names())
    await house.refuseSparingly(principal.key, 'mcp', refused)
    throw outsideError(refused)
  }

  return {
    list: async (): Promise<Tool[]> => [...(say ? [say.tool] : []), ...rows.map(toolOf)],
    call: async ({ name, arguments: args = {} }: Call, context: ServerContext): Promise<CallToolResult> => {
      if (say && name === SAY) return say.call(args, context)
      const row = rows.find((known) => known.name === name)
      if (!row) return outside(name)
      return row.reads ? ask(row, args) : command(row, args)
    },
  }
}

const text = (said: string) => ({ type: 'text' as const, text: said })

const failure = (refused: Refusal): CallToolResult => ({ content: [text(refusalText(refused))], isError: true })

const toolOf = (row: Operation): Tool => ({
  name: row.name,
  title: `/${row.name}`,
  description: `${row.summary} (such as: ${row.example})`,
  inputSchema: row.reads ? schemaOf(row.input, 'input') : inRoom(row),
  ...(row.output instanceof z.ZodObject ? { outputSchema: schemaOf(row.output, 'output') } : {}),
  annotations: row.reads
    ? { readOnlyHint: true, openWorldHint: false }
    : { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
})

/** A room that is an input of the command's own says nothing about where it is said: that is the first room then. */
const hasRoom = ({ input }: Operation): boolean => 'room' in input.shape

const aimed = (row: Operation, args: Args): { named: unknown; input: Args } => {
  if (hasRoom(row)) return { named: undefined, input: args }
  const { room: named, ...input } = args
  return { named, input }
}

/** The input of a command, and the room it is said in. */
const inRoom = (row: Operation): Tool['inputSchema'] => {
  if (hasRoom(row)) return schemaOf(row.input, 'input')
  const { properties, ...schema } = schemaOf(row.input, 'input')
  const room = { type: 'string', description: 'the room it is said in; the first one, where none is named' }
  return { ...schema, properties: { ...properties, room } }
}
