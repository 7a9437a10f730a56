import type { BodyOf, Entry, EventName } from '../shapes/evidence.ts'
import type { Complain, ToolsOf } from './verify.ts'

type Wall = { peripheral: string; tools: string[] }
type Watch = { [E in EventName]?: (entry: Entry, body: BodyOf<E>) => void }

/**
 * Every step stands in its turn, between a start and a stop, is taken once, uses a tool of that wall, and has one outcome
 * that answers it. Says of each entry whether what comes after it can still be judged.
 */
export const createWatch = (toolsOf: ToolsOf, complain: Complain): ((entry: Entry) => boolean) => {
  let wall: Wall | null = null
  let turn: string | null = null
  const open = new Map<string, Entry>()
  const taken = new Set<string>()

  const watch: Watch = {
    'turn-started': (entry, body) => {
      complain(turn !== null, entry, 'order', `begins while turn ${turn} is under way`)
      turn = body.turn
    },
    'turn-ended': (entry) => {
      complain(wall !== null, entry, 'order', `ends while ${wall?.peripheral} is active`)
      turn = null
    },
    'peripheral-started': (entry, { peripheral, tools, spec: hash }) => {
      complain(wall !== null, entry, 'order', `starts ${peripheral} while ${wall?.peripheral} is active`)
      wall = { peripheral, tools }
      // A chain cannot widen its own wall: what a start recorded must be what its spec had, as far as that can be had.
      const spec = toolsOf(peripheral, hash)
      const extra = tools.filter((tool) => spec && !spec.includes(tool))
      complain(
        extra.length > 0,
        entry,
        'wall',
        `started ${peripheral} with ${extra.join(', ')}, which its spec has not`,
      )
    },
    'peripheral-stopped': (entry, { peripheral }) => {
      complain(wall?.peripheral !== peripheral, entry, 'order', `stops ${peripheral}, which is not active`)
      for (const step of open.values()) complain(true, step, 'order', 'was still open when its peripheral stopped')
      open.clear()
      wall = null
    },
    'step-intended': (entry, { call, step, turn: asked }) => {
      complain(asked !== turn, entry, 'order', `is a step of turn ${asked}, which is not under way`)
      complain(taken.has(step), entry, 'order', `takes step ${step} a second time`)
      taken.add(step)
      complain(wall === null, entry, 'wall', `used ${call.tool} while no peripheral was active`)
      const allowed = wall?.tools.includes(call.tool) ?? true
      complain(!allowed, entry, 'wall', `used ${call.tool}, which ${wall?.peripheral} has not`)
      open.set(entry.id, entry)
    },
    'step-ended': (entry, { step, tool }) => {
      const intent = ended(entry)?.body
      if (intent?.event !== 'step-intended') return
      complain(step !== intent.step, entry, 'order', 'ends another step than the one it answers')
      complain(tool !== intent.call.tool, entry, 'wall', `ran ${tool}, not ${intent.call.tool}`)
    },
  }

  const ended = (entry: Entry): Entry | undefined => {
    const intent = open.get(entry.inReplyTo ?? '')
    complain(!intent, entry, 'order', 'ends a step that was not begun')
    open.delete(entry.inReplyTo ?? '')
    return intent
  }

  /** What is left of an entry whose body was let go: that a step began or ended there. Of all others, nothing is known. */
  const letGo: Record<string, (entry: Entry) => void> = {
    'coordination/step': (entry) => {
      complain(wall === null, entry, 'wall', 'took a step while no peripheral was active')
      open.set(entry.id, entry)
    },
    'coordination/evidence': (entry) => void ended(entry),
    'gate-traversal/correction': () => {},
    'forum-post/observation': () => {},
    'presence-event/observation': () => {},
  }

  return (entry) => {
    const { body, type, claim } = entry
    const look = body === null ? letGo[`${type}/${claim}`] : watch[body.event]
    ;(look as ((entry: Entry, body: Entry['body']) => void) | undefined)?.(entry, body)
    return body !== null || look !== undefined
  }
}
