import type { Store } from '../evidence/store.ts'
import type { BodyOf } from '../shapes/evidence.ts'
import type { Failure } from '../shapes/runner.ts'
import type { Attended, Options, Resident } from './attend.ts'
import type { Held } from './conversations.ts'
import type { Writing } from './writing.ts'

/** Why a conversation is this one. */
export type Why = BodyOf<'conversation-opened'>['why']

/** A conversation to speak in, and why it is this one; or what was in the way. */
export type Found = { ok: true; held: Held; why: Why } | { ok: false; failure: Failure }

/** What of the house it needs. */
type Needed = Pick<Options, 'store' | 'upToDate' | 'isForked'> & { tell: Pick<Options['tell'], 'instructions'> }
type Given = { work: Attended; resident: Resident; writing: Writing; ends: AbortSignal }

/** From which fullness on a conversation is not gone on with: at the next safe point another begins, from the evidence. */
const FULL = 0.8

/** Finds the conversation that a turn is to be spoken in: the one that goes on, the one that is resumed, or a new one. */
export const createOpening = (options: Needed, { work, resident, writing, ends }: Given) => {
  const { store, tell } = options
  const { conversations } = resident
  const { turn } = work
  const { session } = turn
  /** The one that this turn has taken up, or opened: it is laid down with the turn. */
  let own: Held | null = null

  const start = async (why: Why, resume: string | null, model: string | null): Promise<Found> => {
    const instructions = await tell.instructions(work)
    const wanted = { session, instructions, model, resume }
    const give = () => resident.give(turn)
    const { runner } = resident
    const opened = await conversations.open({ ...wanted, seen: turn.position, runner, give, signal: ends })
    if (!opened.ok) return opened
    own = opened.held
    return { ...opened, why }
  }

  /** One that the program has forgotten begins anew. */
  const resumeOr = async (last: string, model: string | null): Promise<Found> => {
    const resumed = await start('resumed', last, model)
    return !resumed.ok && isForgotten(resumed.failure) ? start('lost', null, model) : resumed
  }

  const begin = async (because: Why | null, model: string | null): Promise<Found> => {
    if (because !== null) return start(because, null, model)
    const last = await lastConversation(store, session)
    return last === null ? start(await firstOf(work, options), null, model) : resumeOr(last.conversation, model)
  }

  /**
   * Whether its program would go on to show tools of another wall, which it had since it was begun: it is begun again. Only
   * what came since it was last looked is looked at: all before that was behind one wall, and the last of it counts.
   */
  const clingsTo = async (held: Held): Promise<boolean> => {
    if (!resident.clings) return false
    const found = await store.query({ session, event: 'peripheral-started', order: 'oldest', cursor: held.seen })
    const stays = found.ok ? found.value.entries : []
    held.seen = turn.position
    return stays.some(({ body }) => body?.event === 'peripheral-started' && body.peripheral !== work.spec.id)
  }

  /** Whether nobody else has gone on with it: another worker may have had a turn of the session meanwhile. */
  const isLast = async (held: Held): Promise<boolean> => {
    const last = await lastConversation(store, session)
    return last !== null && last.entry === (await held.opened)
  }

  const isGood = async (held: Held): Promise<boolean> =>
    !isFull(held) && (await isLast(held)) && !(await clingsTo(held))

  const tellOf = ({ held, why }: Extract<Found, { ok: true }>): void => {
    const { runner, name } = resident
    if (why === 'compacted') writing.note('compacted', 'begins a new conversation, from what the evidence says')
    const [conversation, version] = [held.conversation.id, runner.version() ?? 'unknown']
    held.opened = writing.opened({ runner: name, version, model: held.model, conversation, why })
  }

  /** Where there is a reason why it should be a new one, it is. */
  const find = async (because: Why | null, model: string | null): Promise<Found> => {
    const going = because === null ? conversations.takeUp(session) : null
    own = going ?? own
    if (going && (await isGood(going))) {
      await options.upToDate(going.hands)
      return { ok: true, held: going, why: 'resumed' }
    }
    const found = await begin(going && isFull(going) ? 'compacted' : because, model)
    if (found.ok) tellOf(found)
    return found
  }

  return {
    find,
    layDown: (): void => {
      if (own) conversations.layDown(own)
    },
  }
}

const isFull = ({ fullness }: Held): boolean => fullness >= FULL

const isForgotten = ({ message }: Failure): boolean => message.startsWith('no conversation')

/** What the first conversation of a session is: one that goes on from elsewhere, or from turns that somebody else took. */
const firstOf = async ({ turn }: Attended, { isForked, store }: Pick<Options, 'isForked' | 'store'>): Promise<Why> => {
  if (await isForked(turn)) return 'forked'
  const before = await store.query({ session: turn.session, event: 'turn-ended', limit: 1 })
  return before.ok && before.value.entries.length > 0 ? 'lost' : 'new'
}

/** The conversation that a session had last, by its program's own name for it, and the entry that says so; null where it had none. */
const lastConversation = async (
  store: Pick<Store, 'query'>,
  session: string,
): Promise<{ conversation: string; entry: string } | null> => {
  const found = await store.query({ session, event: 'conversation-opened', limit: 1 })
  const [last] = found.ok ? found.value.entries : []
  return last?.body?.event === 'conversation-opened' ? { conversation: last.body.conversation, entry: last.id } : null
}
