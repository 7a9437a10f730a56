import type { BodyOf, Entry, EventName } from '../shapes/evidence.ts'
import { messageOf } from './ids.ts'
import type { Done, Traces } from './traces.ts'

type Options = {
  traces: Pick<Traces, 'done'>
  /** When an entry was written, in milliseconds; null where there is none. */
  writtenAt: (entry: string) => Promise<number | null>
}

/** As many beginnings as are kept in mind until their ends. */
const KEPT = 10_000

/** What is kept of something that has begun. */
type Begun = { at: number; about: Done['about'] }

/**
 * Turns and steps as spans, made from the entries that begin and end them, once they are durable. What began in a process that
 * is gone is looked up.
 */
export const traceEntries = ({ traces, writtenAt }: Options) => {
  const begun = new Map<string, Begun>()
  const begin = (id: string, at: number, about: Done['about'] = {}): void => {
    if (begun.has(id)) return
    begun.set(id, { at, about })
    const [oldest] = begun.keys()
    if (begun.size > KEPT && oldest !== undefined) begun.delete(oldest)
  }
  const taken = (id: string): Begun | null => {
    const one = begun.get(id) ?? null
    begun.delete(id)
    return one
  }

  const waited = async (turn: string, to: number, about: Done['about']): Promise<void> => {
    const from = await writtenAt(turn)
    if (from !== null)
      traces.done({ name: 'wait', id: turn, within: { name: 'message', id: messageOf(turn) }, from, to, about })
  }

  const turnEnded = async (turn: string, to: number, outcome: string, about: Done['about']): Promise<void> => {
    const conversation = taken(`${turn}/conversation`)
    if (conversation)
      traces.done({
        name: 'conversation',
        id: turn,
        within: { name: 'turn', id: turn },
        from: conversation.at,
        to,
        about: conversation.about,
      })
    const from = taken(turn)?.at ?? (await writtenAt(`${turn}.started`)) ?? to
    const failed = outcome === 'failed' ? outcome : undefined
    const within = { name: 'message', id: messageOf(turn) } as const
    traces.done({ name: 'turn', id: turn, within, from, to, about: { ...about, 'bellhop.outcome': outcome }, failed })
  }

  /** The step, from when the gate was asked, and the tool in it, from when that was begun. */
  const stepEnded = (step: string, turn: string, to: number, came: Came): void => {
    const asked = taken(`${step}/asked`)
    const intended = taken(step)
    const about = { ...came.about, 'bellhop.outcome': came.outcome }
    const failed = came.outcome === 'ok' ? undefined : (came.code ?? came.outcome)
    const from = asked?.at ?? intended?.at ?? to
    if (intended)
      traces.done({ name: 'tool', id: step, within: { name: 'step', id: step }, from: intended.at, to, about, failed })
    traces.done({ name: 'step', id: step, within: { name: 'turn', id: turn }, from, to, about, failed })
  }

  const telling: { [E in EventName]?: (body: BodyOf<E>, at: number, about: Done['about']) => void } = {
    'turn-started': ({ turn }, at, about) => {
      begin(turn, at)
      // What cannot be looked up is not told.
      waited(turn, at, about).catch(() => {})
    },
    'conversation-opened': ({ turn, runner, model, why }, at) =>
      begin(`${turn}/conversation`, at, {
        'bellhop.runner': runner,
        'bellhop.why': why,
        ...(model === null ? {} : { 'gen_ai.request.model': model }),
      }),
    'step-intended': ({ step }, at) => begin(step, at),
    'step-ended': ({ step, turn, tool, outcome }, at, about) =>
      stepEnded(step, turn, at, { outcome: outcome.kind, about: { ...about, 'bellhop.tool': tool } }),
    'step-refused': ({ step, turn, call, refusal: { code } }, at, about) => {
      const tool = { 'bellhop.tool': call.tool.slice(0, TOOL), 'bellhop.code': code }
      stepEnded(step, turn, at, { outcome: 'refused', code, about: { ...about, ...tool } })
    },
    'turn-ended': ({ turn, outcome }, at, about) => {
      turnEnded(turn, at, outcome, about).catch(() => {})
    },
  }

  return {
    written: (entries: readonly Entry[]): void => {
      for (const { body, at, tags, session } of entries) {
        if (body === null || !(body.event in telling)) continue
        const tell = telling[body.event] as (body: Entry['body'], at: number, about: Done['about']) => void
        tell(body, Date.parse(at), aboutOf(tags, session))
      }
    },
    /** The gate was asked of a call, from when until when; the step began with it. */
    judged: (step: string, from: number, to: number, decision: string): void => {
      begin(`${step}/asked`, from)
      traces.done({
        name: 'gate',
        id: step,
        within: { name: 'step', id: step },
        from,
        to,
        about: { 'bellhop.decision': decision },
      })
    },
  }
}

type Came = { outcome: string; code?: string; about: Done['about'] }

/** In characters: what an agent asks for may have any name. */
const TOOL = 64

const FAMILIES = ['room', 'agent', 'peripheral'] as const

const aboutOf = (tags: readonly string[], session: string): Done['about'] => ({
  'bellhop.session': session,
  ...Object.fromEntries(
    FAMILIES.flatMap((family) => {
      const tag = tags.find((one) => one.startsWith(`${family}/`))
      return tag === undefined ? [] : [[`bellhop.${family}`, tag.slice(family.length + 1)]]
    }),
  ),
})
