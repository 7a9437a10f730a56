import { randomBytes } from 'node:crypto'
import type { Interaction, Modal } from './api.ts'
import type { Upload } from './attachments.ts'
import { channelOf, userOf } from './channels.ts'
import { choice } from './command-form.ts'
import { modal } from './component-form.ts'
import { fault, invalidForm, isObject, list, object, oneOf, read } from './form.ts'
import { FLAGS, type MessageForm, readMessage } from './message-form.ts'
import { Refused, refuse } from './refusal.ts'
import type { InteractionKind, StoredInteraction, StoredMessage, World } from './state.ts'
import { toTest } from './view.ts'
import type { Channel, Choice, Snowflake, WireMessage } from './wire.ts'
import { demandSomething, referenceTo, removeMessage, rewriteMessage, writeMessage } from './writing.ts'

const CALLBACK = { message: 4, deferredMessage: 5, deferredUpdate: 6, update: 7, choices: 8, modal: 9 } as const

/** What each kind of interaction can be answered with. A modal that was opened by a click can update what was clicked. */
const ANSWERS: Record<InteractionKind, readonly number[]> = {
  2: [4, 5, 9],
  3: [4, 5, 6, 7, 9],
  4: [8],
  5: [4, 5, 6, 7],
}

const SETTABLE = FLAGS.suppressEmbeds | FLAGS.ephemeral | FLAGS.suppressNotifications | FLAGS.newerLayout

export type Opening = Pick<StoredInteraction, 'kind' | 'userId' | 'channelId' | 'sourceId'>

/** An interaction begins, and its clock with it. */
export const openInteraction = (world: World, opening: Opening): StoredInteraction => {
  const id = world.nextId()
  const interaction: StoredInteraction = {
    ...opening,
    id,
    token: randomBytes(48).toString('base64url'),
    createdAt: world.now(),
    answeredBy: null,
    deferred: false,
    ephemeral: false,
    originalId: null,
    followUps: [],
    choices: null,
    modal: null,
  }
  world.interactions.set(id, interaction)
  return interaction
}

type Callback = { type: number; data?: unknown }

/** The first answer, within three seconds and once. */
export const answer = (world: World, found: StoredInteraction, body: unknown, uploads: Upload[]): void => {
  if (found.answeredBy !== null) refuse('alreadyAcknowledged')
  if (isLate(world, found)) refuse('unknownInteraction')
  const { type, data } = read<Callback>(object({ type: oneOf(ANSWERS[found.kind]) }), body)
  answerWith(world, found, { type, data }, uploads)
  found.answeredBy = type
}

const answerWith = (world: World, found: StoredInteraction, { type, data }: Callback, uploads: Upload[]): void => {
  if (type === CALLBACK.choices) {
    const form = object({ choices: list(choice, { max: 25 }) })
    found.choices = inData(() => read<{ choices: Choice[] }>(form, data).choices)
  } else if (type === CALLBACK.modal) {
    found.modal = inData(() => read<Modal>(modal, data))
  } else if (type === CALLBACK.deferredMessage) {
    const flags = (isObject(data) ? Number(data['flags'] ?? 0) : 0) & FLAGS.ephemeral
    found.deferred = true
    writeAnswer(world, found, { form: {}, uploads: [], flags: flags | FLAGS.loading })
  } else if (type === CALLBACK.message) {
    const form = inData(() => readMessage(data))
    demandSomething(form, uploads)
    writeAnswer(world, found, { form, uploads, flags: (form.flags ?? 0) & SETTABLE })
  } else {
    updateSource(world, found, { type, data }, uploads)
  }
}

/** Reads what is below `data`; the faults say where it was. */
const inData = <T>(readIt: () => T): T => {
  try {
    return readIt()
  } catch (error) {
    throw error instanceof Refused && error.faults ? invalidForm({ data: error.faults }) : error
  }
}

const updateSource = (world: World, found: StoredInteraction, { type, data }: Callback, uploads: Upload[]): void => {
  const source = world.messages.get(found.sourceId ?? '')
  if (!source) throw invalidForm({ type: fault('INTERACTION_NO_MESSAGE', 'There is no message to update') })
  found.originalId = source.wire.id
  found.ephemeral = source.visibleTo !== null
  found.deferred = type === CALLBACK.deferredUpdate
  if (type !== CALLBACK.update) return
  const form = inData(() => readMessage(data, source.wire.flags))
  rewriteMessage(world, { stored: source, form, uploads, defaults: 'webhook' })
}

type Answer = { form: MessageForm; uploads: Upload[]; flags: number }

const writeAnswer = (world: World, found: StoredInteraction, { form, uploads, flags }: Answer): void => {
  const source = world.messages.get(found.sourceId ?? '')
  found.ephemeral = (flags & FLAGS.ephemeral) !== 0
  const more = source ? { type: 19, message_reference: referenceTo(source) } : { type: found.kind === 2 ? 20 : 0 }
  found.originalId = writeFor(world, found, { form, uploads, flags }, more).wire.id
}

const writeFor = (
  world: World,
  found: StoredInteraction,
  { form, uploads, flags }: Answer,
  more: Partial<WireMessage>,
): StoredMessage =>
  writeMessage(world, {
    channel: channelOf(world, found.channelId),
    authorId: world.bot.id,
    form,
    uploads,
    defaults: 'webhook',
    flags,
    visibleTo: flags & FLAGS.ephemeral ? found.userId : null,
    more: {
      ...more,
      application_id: world.applicationId,
      webhook_id: world.applicationId,
      interaction_metadata: {
        id: found.id,
        type: found.kind,
        user: userOf(world, found.userId),
        authorizing_integration_owners: ownersIn(channelOf(world, found.channelId)),
      },
    },
  })

/** Where the application was installed: in the guild, or where the bot is talked to. */
export const ownersIn = ({ guild_id = '0' }: Channel): Record<string, Snowflake> => ({ '0': guild_id })

/** More messages after the first answer. The first of them takes the place of an answer that was deferred. */
export const followUp = (world: World, found: StoredInteraction, body: unknown, uploads: Upload[]): StoredMessage => {
  const form = readMessage(body)
  demandSomething(form, uploads)
  const original = world.messages.get(found.originalId ?? '')
  if (found.deferred && found.answeredBy === CALLBACK.deferredMessage && original) {
    found.deferred = false
    rewriteMessage(world, { stored: original, form, uploads, defaults: 'webhook' })
    return original
  }
  found.deferred = false
  const flags = (form.flags ?? 0) & SETTABLE
  const more = original ? { type: 19, message_reference: referenceTo(original) } : {}
  const written = writeFor(world, found, { form, uploads, flags }, more)
  found.followUps.push(written.wire.id)
  return written
}

/** A message of an interaction by its id, or as `@original`. */
export const answerOf = (world: World, found: StoredInteraction, id: string): StoredMessage => {
  const own = [found.originalId, ...found.followUps]
  const wanted = id === '@original' ? found.originalId : own.find((one) => one === id)
  return world.messages.get(wanted ?? '') ?? refuse('unknownMessage')
}

export const editAnswer = (
  world: World,
  found: StoredInteraction,
  stored: StoredMessage,
  { body, uploads }: { body: unknown; uploads: Upload[] },
): void => {
  const form = readMessage(body, stored.wire.flags)
  rewriteMessage(world, { stored, form, uploads, defaults: 'webhook' })
  if (stored.wire.id === found.originalId) found.deferred = false
}

export const deleteAnswer = (world: World, found: StoredInteraction, stored: StoredMessage): void => {
  if (stored.wire.id === found.originalId) found.deferred = false
  removeMessage(world, stored)
}

/** The interaction of an id and its token, for the first answer. */
export const interactionOf = (world: World, id: Snowflake, token: string): StoredInteraction => {
  const found = world.interactions.get(id)
  return found?.token === token ? found : refuse('unknownInteraction')
}

/** The interaction behind a webhook: there once it was answered, and for fifteen minutes. */
export const interactionBehind = (world: World, applicationId: Snowflake, token: string): StoredInteraction => {
  const found = [...world.interactions.values()].find((one) => one.token === token)
  if (!found || applicationId !== world.applicationId || found.answeredBy === null) return refuse('unknownWebhook')
  if (isDead(world, found)) refuse('invalidWebhookToken')
  return found
}

/** What the answer is to somebody who asked for it: whether it made a message, and which. */
export const callbackResult = (found: StoredInteraction, message: WireMessage | null) => ({
  interaction: {
    id: found.id,
    type: found.kind,
    ...(found.originalId === null
      ? {}
      : {
          response_message_id: found.originalId,
          response_message_loading: found.deferred,
          response_message_ephemeral: found.ephemeral,
        }),
  },
  resource: {
    type: found.answeredBy,
    ...(message ? { message } : {}),
  },
})

export const isLate = (world: World, { createdAt, answeredBy }: StoredInteraction): boolean =>
  answeredBy === null && world.now() - createdAt > world.limits.interactionMs

const isDead = (world: World, { createdAt }: StoredInteraction): boolean =>
  world.now() - createdAt > world.limits.interactionTokenMs

/** What a test sees of it. */
export const handleOf = (world: World, found: StoredInteraction): Interaction => ({
  id: found.id,
  token: found.token,
  get state() {
    if (found.answeredBy === null) return isLate(world, found) ? 'expired' : 'pending'
    if (!found.deferred) return 'answered'
    return isDead(world, found) ? 'expired' : 'deferred'
  },
  get ephemeral() {
    return found.ephemeral
  },
  message: () => {
    const stored = world.messages.get(found.originalId ?? '')
    return stored && !(stored.wire.flags & FLAGS.loading) ? toTest(world, stored) : null
  },
  followUps: () =>
    found.followUps.flatMap((id) => {
      const stored = world.messages.get(id)
      return stored ? [toTest(world, stored)] : []
    }),
  modal: () => structuredClone(found.modal),
})
