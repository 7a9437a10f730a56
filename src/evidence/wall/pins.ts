import type { BodyOf, Entry } from '../../shapes/evidence.ts'
import type { Finding } from '../complain.ts'
import { sha256 } from '../hash.ts'
import { type Intent, isForeign } from './intent.ts'

/** An acceptance of a tool's description, as it was read: of which tool, and where in the store. */
export type Pin = { tool: string; position: number }

type Seen = BodyOf<'tool-seen'>
type Pinned = BodyOf<'tool-pinned'>

/** What is wrong with the acceptance that a step of another server's tool names. */
export const wrongPin = (intent: Intent, at: number, of: (id: string) => Pin | null): Finding[] => {
  if (!isForeign(intent)) return []
  const { tool } = intent.call
  const pin = intent.pin === undefined ? null : of(intent.pin)
  if (pin === null) return [wrong(`used ${tool}, and names nobody who accepted what it is`)]
  if (pin.tool !== tool) return [wrong(`used ${tool}, and names the acceptance of ${pin.tool}`)]
  return pin.position < at ? [] : [wrong(`used ${tool}, which was accepted only afterwards`)]
}

/** Follows what was seen of the tools of other servers, and who accepted it. */
export const createPins = () => {
  const seen = new Map<string, Seen>()
  const last = new Map<string, number>()
  return {
    seen: ({ id, author }: Entry, body: Seen): Finding[] => {
      const { server, tool, nth, described, hash } = body
      const name = `${server}.${tool}`
      const before = last.get(name) ?? 0
      last.set(name, nth)
      seen.set(id, body)
      return [
        ...(author.kind === 'house' ? [] : [wrong(`is by ${author.kind} ${author.id}, and only the house looks`)]),
        ...(sha256(described) === hash ? [] : [wrong(`has ${name} under the hash of another description`)]),
        ...(nth === before + 1 ? [] : [wrong(`is description ${nth} of ${name}, after ${before}`)]),
      ]
    },
    pinned: ({ inReplyTo, author }: Entry, body: Pinned): Finding[] => {
      const of = seen.get(inReplyTo ?? '')
      if (!of || !isOf(body, of)) return [wrong(`accepts what was not seen of ${body.server}.${body.tool}`)]
      if (author.kind === 'person') return body.role === 'admin' ? [] : [wrong(`is by the role ${body.role}`)]
      return author.kind === 'house' && of.nth === 1 ? [] : [wrong('accepts a change, which only a person can')]
    },
  }
}

const isOf = (pin: Pinned, { server, tool, hash }: Seen): boolean =>
  pin.server === server && pin.tool === tool && pin.hash === hash

const wrong = (what: string): Finding => ({ rule: 'pin', what })
