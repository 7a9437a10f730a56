import { BELLHOP, roomDraft, sessionDraft } from '../evidence/drafts.ts'
import { focusOf, missionTags } from '../evidence/focus.ts'
import type { Store } from '../evidence/store.ts'
import type { Context } from '../operations/operation.ts'
import type { Body, Draft, Entry } from '../shapes/evidence.ts'
import type { Assignment, Message, Receipt } from '../shapes/message.ts'
import { authorOf, type Person } from '../shapes/person.ts'
import { type RefusalCode, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Dispatched, Route } from './dispatch.ts'
import type { Known } from './mode.ts'
import { rungDraft, turnBell } from './ring.ts'

/** What it takes to write down what came of a message. */
export type Keeper = {
  store: Store
  newId: () => string
  contextFor: (person: Person, room: string) => Context
  log: (message: string, fields: Record<string, unknown>) => void
  /** Told of each refusal, by the stage that refused; nobody, where that is left out. */
  refused?: (stage: string, code: RefusalCode) => void
  /** Told what a command came to, once that it was carried out is written down: the evidence has it as people read it. */
  heard?: ((output: unknown) => void) | undefined
}

/**
 * Stage 5. The session record and the evidence, and with them the receipt. What a message leads to has ids made from
 * its own, so that the same message, sent again or twice at once, is answered again and not done again.
 */
export const persist = async (message: Dispatched, keeper: Keeper): Promise<Result<Receipt>> => {
  const receipt = await carryOut(message, keeper)
  if (receipt.ok || receipt.refusal.code !== 'id-conflict') return receipt
  // The same message may have come twice at once: the answer that was written first stands.
  return (await repeatOf(message, keeper.store)) ?? receipt
}

const carryOut = async (message: Dispatched, keeper: Keeper): Promise<Result<Receipt>> => {
  switch (message.route.to) {
    case 'room':
      return keep(message, { event: 'heard' }, [], keeper)
    case 'agents':
      return assign(message, message.route, keeper)
    case 'operation':
      return perform(message, message.route, keeper)
  }
}

/** The person's line, as the room's chain keeps it. */
export const messageDraft = ({ id, room, text }: Message, person: Person): Draft =>
  roomDraft({ id, room, author: authorOf(person), body: { event: 'message', text } })

/** What a message that came before was answered; null for a new one. The same id for something else is refused. */
export const repeatOf = async (known: Known, store: Store): Promise<Result<Receipt> | null> => {
  const before = await store.get(known.id)
  if (!before) return null
  const { bodyHash, author, subject } = before
  const { text, room, person } = known
  const same = bodyHash === store.hashBody({ event: 'message', text }) && subject.id === room
  if (same && author.id === person.name && author.via === person.via) return receiptOf(known, store)
  return refused(refusal('id-conflict', `${known.id} is the id of another message`))
}

const receiptOf = async (message: Message, store: Store): Promise<Result<Receipt> | null> => {
  // Another process may have written it just now: a receipt is for what is kept.
  await store.engine.synced()
  return receiptIn((await store.get(`${message.id}.receipt`))?.body, message)
}

/** What the body of a receipt tells; null where it is none. */
const receiptIn = (body: Entry['body'] | undefined, { id, room }: Message): Result<Receipt> | null => {
  const receipt = { message: id, room, answer: null, assignments: [] }
  switch (body?.event) {
    case 'assigned':
      return ok({ ...receipt, mode: 'action', assignments: body.assignments })
    case 'answered':
      return ok({ ...receipt, mode: 'coordination', answer: body.answer })
    case 'heard':
      return ok({ ...receipt, mode: 'coordination' })
    case 'dropped':
      return ok({ ...receipt, mode: 'coordination', dropped: body.refusal.code })
    case 'refused':
      return refused(body.refusal)
    default:
      return null
  }
}

type To<K extends Route['to']> = Extract<Route, { to: K }>

/** Runs an operation. The line is written down first: what it does then has something to answer. */
const perform = async (
  message: Dispatched,
  { operation, input }: To<'operation'>,
  keeper: Keeper,
): Promise<Result<Receipt>> => {
  const said = await keeper.store.append([messageDraft(message, message.person)])
  if (!said.ok) return said
  let made = 0
  const newId = () => `${message.id}.${++made}`
  const output = await operation.run(input, { ...keeper.contextFor(message.person, message.room), newId })
  if (!output.ok) return output
  const answer = operation.render(output.value)
  const kept = await keep(message, { event: 'answered', operation: operation.name, answer }, [], keeper)
  if (!kept.ok) return kept
  keeper.heard?.(output.value)
  const whisper = operation.whisper?.(output.value) ?? null
  return whisper === null ? kept : ok({ ...kept.value, whisper })
}

const assign = async (message: Dispatched, route: To<'agents'>, keeper: Keeper): Promise<Result<Receipt>> => {
  // Somebody else may open one of the sessions in between: then there is one to join, and it is tried again.
  for (let left = route.work.length; ; left--) {
    const { assignments, drafts } = await assignmentsOf(message, route, keeper)
    const kept = await keep(message, { event: 'assigned', assignments }, drafts, keeper)
    if (kept.ok) keeper.heard?.({ assignments: kept.value.assignments })
    if (kept.ok || kept.refusal.code !== 'id-conflict' || left === 0) return kept
  }
}

const assignmentsOf = async (message: Dispatched, route: To<'agents'>, { store, newId }: Keeper) => {
  const { work, request } = route
  const { id, room, person, grant } = message
  const assignments: Assignment[] = []
  const drafts: Draft[] = []
  const mission = missionTags(await focusOf(store, room))
  for (const { agent, peripheral } of work) {
    const open = await store.openSession(room, agent)
    const session = open?.id ?? `s-${newId()}`
    const turn = `${id}.${agent}`
    const base = { session, room, agent, author: authorOf(person), inReplyTo: id }
    // A session of somebody else's is not an agent's to open.
    const opener = grant && grant.agent !== agent ? BELLHOP : authorOf(person)
    if (!open)
      drafts.push(
        sessionDraft({
          ...base,
          author: opener,
          id: `${session}.opened`,
          body: { event: 'session-opened', agent, room },
        }),
      )
    const asked = { agent, room, peripheral, request, role: person.role }
    const body: Body = { event: 'accepted', ...asked, ...givenBy(message), ...turnBell(turn, message, route) }
    drafts.push(sessionDraft({ ...base, id: turn, body, tags: [`peripheral/${peripheral}`, ...mission] }))
    if (route.bell) drafts.push(rungDraft(turn, route.bell, { ...base, text: request }))
    // By name, as the store has it: said again, the receipt is the same to the letter.
    assignments.push({ agent, peripheral, session, turn })
  }
  return { assignments, drafts }
}

/** By which token work was given, where it may lead, and how far bots and agents have got by themselves. */
const givenBy = ({ token, grant, hops }: Dispatched) => ({
  ...(token === null ? {} : { by: token }),
  ...(grant ? { within: grant.peripherals } : {}),
  ...(hops === 0 ? {} : { hops }),
})

/** Writes a message, what follows from it and its receipt, all or nothing; what is given is what was written. */
const keep = async (message: Dispatched, body: Body, drafts: Draft[], { store }: Keeper): Promise<Result<Receipt>> => {
  const { id, room, person } = message
  const receipt = roomDraft({ id: `${id}.receipt`, room, author: BELLHOP, body, inReplyTo: id })
  const kept = await store.append([messageDraft(message, person), ...drafts, receipt])
  if (!kept.ok) return kept
  return (
    receiptIn(kept.value.at(-1)?.body, message) ??
    refused(refusal('store-failed', 'the receipt was written and is not there'))
  )
}
