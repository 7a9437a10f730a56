import { type Refusal, refusal } from '../shapes/refusal.ts'
import { closedTo } from './dispatch.ts'
import type { Known, Wish } from './mode.ts'

/** Of what there may be so much at once: of a person, in a room, by a token. */
type Limited = 'person' | 'room' | 'token'

/** Takes one from each that is named; or says which has none left, and in how many seconds it has again. */
export type Limits = (of: Partial<Record<Limited, string>>) => Promise<{ limited: Limited; wait: number } | null>

/** Who asked for too much at once, under a name that the refusals are counted by. */
export type Hurried = { who: string; refusal: Refusal }

/**
 * Between the stages 3 and 4. Who says too much at once is told to wait, whichever way it comes, and whether or not there is a
 * wish in it. What stops something, or decides what waits for a person, is never made to wait, where it is theirs to ask for.
 */
export const hurried = async (message: Known, wish: Wish | null, limits: Limits): Promise<Hurried | null> => {
  const { person, room, token } = message
  if (wish?.kind === 'command' && wish.operation.urgent && !closedTo(person, wish.operation)) return null
  const over = await limits(countedFor(message))
  if (!over) return null
  const { limited, wait } = over
  const name = { person: person.name, room, token: token ?? '' }[limited]
  const sentence = { person: `${name} says`, room: `${name} is told`, token: `the token ${name} says` }[limited]
  return {
    who: `${limited} ${name}`,
    refusal: { ...refusal('rate-exceeded', `${sentence} too much at once: wait ${wait} s`), wait },
  }
}

/** A bot takes nothing of what people have in their room. */
const countedFor = (message: Known): Partial<Record<Limited, string>> => {
  const { person, room, token } = message
  if (person.sender?.bot) return { person: whoIs(message) }
  return { room, ...(person.agent ? {} : { person: whoIs(message) }), ...(token === null ? {} : { token }) }
}

/** A person of the house is the same one on every network; a guest is whoever the network says. */
const whoIs = ({ person: { name, guest, via } }: Known): string => (guest ? `~${via ?? name}` : name)
