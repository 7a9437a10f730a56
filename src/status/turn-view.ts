import { requestOf } from '../evidence/amendments.ts'
import { agentOfTurn, jobsLeft, openParks, type Park } from '../evidence/parks.ts'
import { pauseOf } from '../evidence/pauses.ts'
import type { Store, TurnRecord } from '../evidence/store.ts'
import { threadOf } from '../evidence/threads.ts'
import { shownOf } from '../evidence/unfinished.ts'
import type { Clock } from '../lib/clock.ts'
import { oneLine } from '../lib/plain.ts'
import type { Presence } from '../shapes/agent.ts'
import type { Body, BodyOf, Entry } from '../shapes/evidence.ts'
import type { ToolCall } from '../shapes/peripheral.ts'
import { isOver, type TurnView } from '../shapes/turn-view.ts'

type Options = {
  store: Pick<Store, 'get' | 'query' | 'count' | 'turn' | 'session' | 'nextTurn' | 'unfinishedTurns'>
  /** How an agent is here; null where that is not known, as for one whose mind is elsewhere, or while Redis is away. */
  presenceOf: (agent: string) => Promise<Presence | null>
  clock: Clock
  /** After how long without a word a turn is said to be stalled. */
  stalledMs: number
  /** The people who may approve in a room, by name; null where it is every approver. */
  approversIn?: (room: string) => readonly string[] | null
  /** The workspace of a room that no worker has; null where one does. */
  workspaceless?: (room: string) => Promise<string | null>
}

type Stands = Pick<TurnView, 'state' | 'detail'> & Partial<Pick<TurnView, 'approval'>>

/** What every view of a turn begins with: the entries that say that it was accepted, begun and ended. */
type Known = { turn: TurnRecord; accepted: Entry; started: Entry | null; ended: Entry | null; ahead: number }

/**
 * How turns stand, from the evidence; who is here only says why nothing goes on. What ended has ended, whatever Redis
 * says. However long a session is, little of it is read.
 */
export const createTurnViews = ({
  store,
  presenceOf,
  clock,
  stalledMs,
  approversIn = () => null,
  workspaceless = async () => null,
}: Options) => {
  const viewOf = async (turn: TurnRecord, ahead: number): Promise<TurnView | null> => {
    const { id, session, room, agent } = turn
    const [accepted, started, ended] = await Promise.all([
      store.get(id),
      store.get(`${id}.started`),
      store.get(`${id}.ended`),
    ])
    if (!accepted) return null
    const known = { turn, accepted, started, ended, ahead }
    const stands = await standsOf(known)
    return {
      turn: id,
      session,
      room,
      agent,
      peripheral: await peripheralOf(turn),
      by: accepted.author.id,
      request: (await requestOf(store, id)) ?? '',
      ahead: isOver(stands.state) ? 0 : ahead,
      steps: await stepsOf(known),
      approval: null,
      accepted: accepted.at,
      started: started?.at ?? null,
      ended: ended?.at ?? null,
      ...stands,
    }
  }

  const standsOf = async ({ turn, started, ended, ahead }: Known): Promise<Stands> => {
    const { status } = turn
    if (ended?.body?.event === 'turn-ended') return { state: ended.body.outcome, detail: firstLine(ended.body.answer) }
    if (status !== 'accepted' && status !== 'running') return { state: status, detail: '' }
    return started ? underWay(turn, started) : inLine(turn, ahead)
  }

  /** It has not begun: its agent cannot, others are before it, or it is about to. */
  const inLine = async ({ id, agent, room }: TurnRecord, ahead: number): Promise<Stands> => {
    const presence = await presenceOf(agent)
    if (isMissing(presence)) return { state: 'parked', detail: oneLine(reasonOf(presence), DETAIL) }
    const workspace = await workspaceless(room)
    if (workspace !== null) return { state: 'parked', detail: `no worker has the workspace ${workspace}` }
    const pause = await pauseOf(store, agent)
    if (pause) return { state: 'parked', detail: oneLine(`paused by ${pause.by}${reason(pause.why)}`, DETAIL) }
    const out = (await store.get(`${id}.stop`)) ? 'taken out of the line: it ends when it is due' : null
    if (ahead > 0) return { state: 'queued', detail: out ?? `${ahead} before it` }
    return { state: 'accepted', detail: out ?? 'about to be taken up' }
  }

  const underWay = async (turn: TurnRecord, started: Entry): Promise<Stands> => {
    const asked = await openQuestion(turn, started)
    if (asked) return { state: 'waiting', detail: waitsFor(asked, await approversOf(turn)), approval: asked.approval }
    const presence = await presenceOf(turn.agent)
    if (isMissing(presence)) return { state: 'interrupted', detail: oneLine(goneFor(presence), DETAIL) }
    const recent = { session: turn.session, since: started.at, limit: QUESTIONS }
    const park = (await openParks(store, clock(), recent)).find((one) => one.turn === turn.id)
    if (park) return { state: 'parked', detail: await waitsWith(park) }
    const { heard, doing } = await lately(turn, started)
    if (clock() - Date.parse(heard) < stalledMs) return { state: 'running', detail: doing ?? 'at work' }
    return { state: 'stalled', detail: `nothing was heard since ${heard}${doing === null ? '' : `: ${doing}`}` }
  }

  /** In a thread, those of the room that it was begun in. */
  const approversOf = async ({ room }: TurnRecord): Promise<readonly string[] | null> =>
    approversIn((await threadOf(store, room))?.room ?? room)

  /** For whom a turn waits, and until when; what has ended by now is not waited for. */
  const waitsWith = async ({ jobs, until }: Park): Promise<string> => {
    const left = await jobsLeft(store, jobs)
    const whom = left.map((job) => `${agentOfTurn(job)} (${job})`).join(', ') || 'nobody any more'
    return oneLine(`waits until ${until} for ${whom}`, DETAIL)
  }

  /** The oldest question of a turn that a person can still answer. */
  const openQuestion = async ({ id, session }: TurnRecord, { at }: Entry): Promise<Asked | null> => {
    const asked = await entriesOf({ session, event: 'approval-asked', since: at, limit: QUESTIONS, order: 'newest' })
    for (const { body } of asked.reverse()) {
      if (body?.event !== 'approval-asked' || body.turn !== id || Date.parse(body.until) <= clock()) continue
      if (!(await store.get(`${body.step}.decision`))) return body
    }
    return null
  }

  /** When a turn was last heard of, and what it is at. What others do in the session may lie between: a few pages are read. */
  const lately = async ({ id, session }: TurnRecord, started: Entry): Promise<Lately> => {
    let cursor: number | undefined
    for (let page = 0; page < PAGES; page++) {
      const from = cursor === undefined ? {} : { cursor }
      const entries = await entriesOf({ session, ephemeral: 'with', limit: PAGE, ...from })
      const own = entries.filter(({ body }) => turnIn(body) === id && !isPaging(body))
      if (own[0]) return { heard: heardIn(own), entry: own[0].id, doing: doingIn(own) }
      cursor = entries.at(-1)?.position
      if (cursor === undefined || cursor <= started.position) break
    }
    return { heard: started.at, entry: started.id, doing: null }
  }

  /** How many steps a turn took: counted, not read. Only a moment that it may share with the turns beside it is looked at. */
  const stepsOf = async ({ turn, started, ended }: Known): Promise<TurnView['steps']> => {
    if (!started) return { taken: 0, failed: 0, refused: 0 }
    const { session } = turn
    const time = { since: started.at, ...(ended ? { before: after(ended.at) } : {}) }
    const [taken, failed, refused] = await Promise.all(
      COUNTED.map(async ({ filters }) => {
        const counted = await store.count({ session, ...time, ...filters })
        return counted.ok ? counted.value : 0
      }),
    )
    const others = await othersAt(turn, new Set([started.at, ...(ended ? [ended.at] : [])]))
    const minus = (n: number | undefined, i: number) => (n ?? 0) - others.filter((body) => COUNTED[i]?.is(body)).length
    return { taken: minus(taken, 0), failed: minus(failed, 1), refused: minus(refused, 2) }
  }

  /** What other turns of the session wrote at the very moments that this one began and ended. */
  const othersAt = async ({ id, session }: TurnRecord, moments: ReadonlySet<string>): Promise<Body[]> => {
    const found = await Promise.all(
      [...moments].map((at) => entriesOf({ session, since: at, before: after(at), limit: MOMENT })),
    )
    return found.flat().flatMap(({ body }) => (body !== null && turnIn(body) !== id ? [body] : []))
  }

  const entriesOf = async (filters: Record<string, unknown>): Promise<Entry[]> => {
    const found = await store.query(filters)
    if (!found.ok) throw new Error(found.refusal.message)
    return found.value.entries
  }

  /** A hop leads elsewhere than where it began. */
  const peripheralOf = async ({ session, status, peripheral }: TurnRecord): Promise<string> =>
    (status === 'running' ? (await store.session(session))?.peripheral : null) ?? peripheral

  const aheadOf = async ({ id, session, status, position }: TurnRecord): Promise<number> => {
    if (status !== 'accepted' || (await store.nextTurn(session))?.id === id) return 0
    return (await store.unfinishedTurns({ session })).filter((one) => one.position < position).length
  }

  return {
    /** When a turn that has begun was last heard of, by which entry, and what it is at; null where it has not begun. */
    lately: async (id: string): Promise<Lately | null> => {
      const [turn, started] = await Promise.all([store.turn(id), store.get(`${id}.started`)])
      return turn && started && lately(turn, started)
    },
    /** How a turn stands; null where there is none. */
    of: async (id: string): Promise<TurnView | null> => {
      const turn = await store.turn(id)
      return turn && viewOf(turn, await aheadOf(turn))
    },
    /** How the turns stand that have not ended, in the order they were accepted: all that run, and the oldest that wait. */
    open: async (): Promise<TurnView[]> => {
      const views: TurnView[] = []
      const before = new Map<string, number>()
      for (const turn of await shownOf(store)) {
        const ahead = before.get(turn.session) ?? 0
        before.set(turn.session, ahead + 1)
        const view = await viewOf(turn, ahead)
        // It may have ended while the others were looked at.
        if (view && !isOver(view.state)) views.push(view)
      }
      return views
    },
  }
}

type Asked = BodyOf<'approval-asked'>
export type Lately = { heard: string; entry: string; doing: string | null }

const DETAIL = 120
const QUESTIONS = 20
const PAGE = 50
const PAGES = 5
const MOMENT = 200

const COUNTED: { filters: Record<string, string>; is: (body: Body) => boolean }[] = [
  { filters: { event: 'step-intended' }, is: ({ event }) => event === 'step-intended' },
  {
    filters: { event: 'step-ended', outcome: 'failed' },
    is: (body) => body.event === 'step-ended' && body.outcome.kind === 'failed',
  },
  { filters: { event: 'step-refused' }, is: ({ event }) => event === 'step-refused' },
]

/** The moment after a time, as entries have theirs. */
const after = (at: string): string => new Date(Date.parse(at) + 1).toISOString()

const firstLine = (text: string): string => oneLine(text.trimStart().split('\n', 1)[0] ?? '', DETAIL)

/** Whether an agent is known not to be ready. Of one whose entry is broken nothing is known. */
const isMissing = (presence: Presence | null): presence is Presence =>
  presence !== null && presence.readiness !== 'ready' && presence.readiness !== 'broken'

const reasonOf = ({ id, readiness, reason }: Presence): string => reason ?? `${id} is ${readiness}`

const reason = (why: string): string => (why === '' ? '' : `: ${why}`)

/** One that has only stepped back is there, and says why it does not go on. */
const goneFor = (presence: Presence): string =>
  presence.readiness === 'registered'
    ? `${reasonOf(presence)}: it goes on when it is ready again`
    : 'its worker is gone: it goes on when it is back'

const waitsFor = ({ approval, opens }: Asked, approvers: readonly string[] | null): string => {
  const who = approvers === null ? '' : `, by ${approvers.join(' or ')}`
  return `for an approval: ${approval} (opens ${oneLine(opens, DETAIL)})${who}`
}

/** What is said to a silent turn, and that it was handed over, is not heard of it. */
const isPaging = (body: Body | null): boolean =>
  (body?.event === 'steered' && body.page !== undefined) || (body?.event === 'turn-noted' && body.about === 'steer')

/** The turn that an entry is of. Decisions name a step: the id of a turn is two words, and the step's own after them. */
const turnIn = (body: Body | null): string | null => {
  if (body === null) return null
  if ('turn' in body) return body.turn
  return body.event === 'approval-decided' ? body.step.split('.').slice(0, 2).join('.') : null
}

/** When a turn was last heard of, by its newest entries: one that waits for others is silent from then on when its time is up. */
const heardIn = (newest: readonly Entry[]): string => {
  const begun = new Set(newest.flatMap(({ body }) => (body && isDecision(body) ? [body.step] : [])))
  const until = newest.flatMap(({ body }) => (body?.event === 'parked' && !begun.has(body.step) ? [body.until] : []))
  return [...newest.slice(0, 1).map(({ at }) => at), ...until].sort().at(-1) ?? ''
}

const isDecision = (body: Body): body is BodyOf<'step-intended' | 'step-refused'> =>
  body.event === 'step-intended' || body.event === 'step-refused'

/** What a turn is at, by its newest entries: a step that has not ended, or what it said last; the newest of these. */
const doingIn = (newest: readonly Entry[]): string | null => {
  const ended = new Set(newest.flatMap(({ body }) => (body?.event === 'step-ended' ? [body.step] : [])))
  const open = newest.find(({ body }) => body?.event === 'step-intended' && !ended.has(body.step))?.body
  if (open?.event === 'step-intended') return callText(open.call)
  const said = newest.find(({ body }) => body?.event === 'agent-said' || body?.event === 'turn-noted')?.body
  return said && 'text' in said ? firstLine(said.text) : null
}

/** What a call is about, of all that it may have. */
const ABOUT = ['path', 'argv', 'pattern', 'url', 'query', 'to', 'paths']

/** A call in a few words, such as `read src/main.ts`; its arguments are an agent's word, and only shown. */
const callText = ({ tool, args }: ToolCall): string => {
  const about = ABOUT.map((name) => args[name]).find((value) => value !== undefined)
  const words = Array.isArray(about) ? about.map(wordOf).join(' ') : about === undefined ? '' : wordOf(about)
  return oneLine(`${tool} ${words}`, DETAIL)
}

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
