import type { Operation } from '../operations/operation.ts'
import { checkInput } from '../operations/parse.ts'
import type { Message } from '../shapes/message.ts'
import { refusal } from '../shapes/refusal.ts'
import { type Result, refused } from '../shapes/result.ts'
import { closedTo } from './dispatch.ts'
import { identify } from './identify.ts'
import type { Social } from './pipeline.ts'
import { enter } from './presence.ts'

type Asked = Pick<Message, 'face' | 'credential' | 'room'> & { name: string; input: Record<string, unknown> }

/** Looks something up for somebody in a room: where they are and who they are is looked at as for a line. */
export const ask = async ({ name, input, ...asked }: Asked, social: Social): Promise<Result<unknown>> => {
  const place = enter(asked.room, asked.face, await social.roomsFor(asked.room))
  if (!place.ok) return place
  const known = await identify({ ...asked, id: 'asked', text: name, place: place.value }, await social.agents(), social)
  if (!known.ok) return known
  const row = lookedUp(name, social.vocabulary.operations)
  if (!row) return refused(refusal('command-unknown', `there is nothing to look up by the name of ${name}`))
  const { person } = known.value
  const closed = closedTo(person, row)
  if (closed) return refused(closed)
  const checked = checkInput(row, input)
  return checked.ok ? row.run(checked.value, social.contextFor(person, asked.room)) : checked
}

const lookedUp = (name: string, operations: readonly Operation[]): Operation | undefined =>
  operations.find((row) => row.name === name && row.reads)
