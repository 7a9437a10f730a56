/** What is wrong with one field of a form. */
type FormFault = { code: string; message: string }

/** Faults by field, nested as the form is; `_errors` has those of the field itself. */
export type FormFaults = { [field: string]: FormFaults | FormFault[] }

/** Discord says no: with a status of HTTP, and a code of its own. */
export class Refused extends Error {
  readonly status: number
  readonly code: number
  readonly faults: FormFaults | null

  constructor([status, code, message]: Refusal, faults: FormFaults | null = null) {
    super(message)
    this.name = 'Refused'
    this.status = status
    this.code = code
    this.faults = faults
  }
}

type Refusal = readonly [status: number, code: number, message: string]

/** The refusals that this Discord knows, by what Discord calls them. */
export const REFUSALS = {
  unauthorized: [401, 0, '401: Unauthorized'],
  notFound: [404, 0, '404: Not Found'],
  methodNotAllowed: [405, 0, '405: Method Not Allowed'],
  badRequest: [400, 0, '400: Bad Request'],
  unknownApplication: [404, 10002, 'Unknown Application'],
  unknownChannel: [404, 10003, 'Unknown Channel'],
  unknownGuild: [404, 10004, 'Unknown Guild'],
  unknownMember: [404, 10007, 'Unknown Member'],
  unknownMessage: [404, 10008, 'Unknown Message'],
  unknownUser: [404, 10013, 'Unknown User'],
  unknownEmoji: [400, 10014, 'Unknown Emoji'],
  unknownWebhook: [404, 10015, 'Unknown Webhook'],
  unknownInteraction: [404, 10062, 'Unknown interaction'],
  unknownCommand: [404, 10063, 'Unknown application command'],
  tooManyPins: [400, 30003, 'Maximum number of pins reached for the channel (250)'],
  tooManyCommands: [400, 30032, 'Maximum number of application commands reached (100).'],
  tooManyReactions: [400, 30010, 'Maximum number of reactions reached (20)'],
  tooManyCreates: [400, 30034, 'Max number of daily application command creates has been reached (200)'],
  tooLarge: [413, 40005, 'Request entity too large'],
  alreadyAcknowledged: [400, 40060, 'Interaction has already been acknowledged.'],
  missingAccess: [403, 50001, 'Missing Access'],
  notTheAuthor: [403, 50005, 'Cannot edit a message authored by another user'],
  emptyMessage: [400, 50006, 'Cannot send an empty message'],
  cannotMessageUser: [403, 50007, 'Cannot send messages to this user'],
  notATextChannel: [400, 50008, 'Cannot send messages in a non-text channel'],
  missingPermissions: [403, 50013, 'Missing Permissions'],
  systemMessage: [403, 50021, 'Cannot execute action on a system message'],
  wrongChannelType: [400, 50024, 'Cannot execute action on this channel type'],
  invalidWebhookToken: [401, 50027, 'Invalid Webhook Token'],
  invalidForm: [400, 50035, 'Invalid Form Body'],
  threadArchived: [400, 50083, 'Thread is archived'],
  invalidJson: [400, 50109, 'The request body contains invalid JSON.'],
  cannotReply: [403, 160002, 'Cannot reply without permission to read message history'],
  threadExists: [400, 160004, 'A thread has already been created for this message'],
  threadLocked: [400, 160005, 'Thread is locked'],
} as const satisfies Record<string, Refusal>

export const refuse = (name: keyof typeof REFUSALS): never => {
  throw new Refused(REFUSALS[name])
}
