import { z } from 'zod'

/**
 * The one closed list of refusals: code, the HTTP status it travels under, and what to do about it.
 * `docs/errors.md` is kept equal to it by a test.
 */
export const refusals = {
  // the door
  'host-refused': {
    status: 403,
    remedy: 'use an address of this instance, or list the name under http.hosts in the config',
  },
  'origin-refused': { status: 403, remedy: 'call from the page this instance serves, or without an Origin header' },
  'route-unknown': { status: 404, remedy: 'see `bellhop help` for what can be asked' },
  'request-invalid': { status: 400, remedy: 'correct the field the message names' },
  'request-too-large': { status: 413, remedy: 'send less than the limit the message names' },
  'rate-exceeded': { status: 429, remedy: 'wait as long as the answer says, then go on more slowly' },
  'uploads-full': {
    status: 409,
    remedy: 'take files out of the folder uploads in the data folder, or raise doors.uploadsPerRoom in the config',
  },
  'workspace-elsewhere': {
    status: 409,
    remedy: 'ask a gateway that was started with that workspace: bellhop gateway --workspace NAME=DIR',
  },
  draining: { status: 503, remedy: 'wait for the instance to come back, then send it again' },
  // presence
  'face-unknown': { status: 403, remedy: 'use a face that the room is open to' },
  'room-unknown': {
    status: 404,
    remedy: 'use one of the rooms the message names, or add it under rooms in the config',
  },
  'thread-unknown': { status: 404, remedy: 'look the id up with /threads' },
  'thread-archived': { status: 409, remedy: 'say /unarchive THREAD in another room, then go on' },
  // authenticate
  unauthenticated: { status: 401, remedy: 'open the link that `bellhop link` prints, or use a token' },
  'role-too-low': { status: 403, remedy: 'ask someone with the role the message names' },
  'impersonation-refused': { status: 403, remedy: 'only the admin token may speak as somebody else' },
  'grant-exceeded': { status: 403, remedy: 'use a token that was made for it: `bellhop token mint` makes one' },
  'agents-only': {
    status: 403,
    remedy: 'come with the token of an agent: `bellhop token mint --agent NAME` makes one',
  },
  'pair-unknown': {
    status: 404,
    remedy: 'say /pair where you are known already, and use the code it gives you within ten minutes',
  },
  // networks
  'own-echo': { status: 409, remedy: 'none needed: it is what Bellhop said itself' },
  'bot-ignored': {
    status: 403,
    remedy: 'list the account of the bot under bots of its network in the config, if it is to give work',
  },
  'hops-exceeded': { status: 429, remedy: 'have a person say something in the room: then it goes on' },
  'network-unknown': { status: 404, remedy: 'use one of the networks the message names' },
  // mode
  'command-unknown': { status: 400, remedy: 'say /help for the list of commands' },
  'command-invalid': { status: 400, remedy: 'use the command as the message shows it' },
  'mentions-exceeded': { status: 400, remedy: 'name fewer agents, or say it once to each' },
  'mode-forbids': { status: 409, remedy: 'change the room with /mode, or talk with /chat @agent' },
  'transition-invalid': { status: 409, remedy: 'go through the mode the message names' },
  // dispatch
  'agent-unknown': { status: 404, remedy: 'say /who for the agents that are here' },
  'agent-not-ready': { status: 503, remedy: 'wait until /who shows the agent as ready' },
  'peripheral-unknown': { status: 404, remedy: 'use one of the peripherals the message names' },
  'peripheral-not-inhabited': { status: 409, remedy: 'ask an agent that can inhabit it' },
  'queue-full': {
    status: 429,
    remedy:
      'wait until some of the work that waits is done (/status shows it), or /stop what is not needed; then send it again',
  },
  // bells and whistles
  'bell-unknown': { status: 404, remedy: 'look the bell up with /bells, and name it with ref=' },
  'bell-crossed': {
    status: 409,
    remedy: 'answer what you were asked, or ring a bell, which does not wait, and end your turn',
  },
  'bell-cooldown': { status: 429, remedy: 'go on without it, and ring again later; a person can always ask' },
  // persist and the evidence store
  'store-full': { status: 507, remedy: 'free space on the disk of the data folder, then send it again' },
  'store-failed': { status: 503, remedy: 'look at the log in the data folder, then send it again' },
  'store-busy': { status: 503, remedy: 'wait a little, then send it again: the store is behind with its work' },
  'id-conflict': { status: 409, remedy: 'use a new id: this one already stands for something else' },
  'target-missing': { status: 409, remedy: 'reply to an entry that exists' },
  'chain-diverges': { status: 409, remedy: 'import it into an empty data folder: here the chain went another way' },
  'chain-broken': { status: 409, remedy: 'look at the file with `bellhop verify`, and take an older copy' },
  fenced: { status: 409, remedy: 'none needed: another worker took this session over' },
  'query-invalid': { status: 400, remedy: 'use the filters the message names' },
  'position-unknown': {
    status: 410,
    remedy: 'begin anew, without it: the evidence was replaced, or never had it',
  },
  'entry-unknown': { status: 404, remedy: 'look the id up with /evidence' },
  'session-unknown': { status: 404, remedy: 'look the id up with /sessions' },
  // missions
  'mission-unknown': { status: 404, remedy: 'say /mc missions for those that there are' },
  // patterns
  'pattern-unknown': { status: 404, remedy: 'say /patterns for those that there are' },
  'pattern-refused': { status: 409, remedy: 'do first what the message names, and say what the evidence shows' },
  // the text world
  'world-failed': { status: 409, remedy: 'say /world show for how the game stands, or /world new for another one' },
  'game-unknown': { status: 404, remedy: 'say /worlds for those that there are' },
  // proofs
  'proof-unknown': { status: 404, remedy: 'say /proofs for those that there are' },
  // the gate
  'peripheral-active': { status: 409, remedy: 'stop the peripheral that is active, or hop from it' },
  'call-cancelled': { status: 409, remedy: 'none needed: whoever asked has given it up' },
  'peripheral-inactive': { status: 409, remedy: 'start a peripheral first' },
  'tool-not-allowed': { status: 403, remedy: 'use one of the tools of the peripheral' },
  'arguments-invalid': { status: 400, remedy: 'call the tool with the arguments its schema names' },
  'tool-changed': {
    status: 409,
    remedy: 'have an admin look at it with /sources NAME.TOOL, and say /accept NAME.TOOL if it is right',
  },
  'server-failed': { status: 503, remedy: 'correct the server under servers in the config, as the message says' },
  'phase-forbids': { status: 409, remedy: 'use the tools of this phase, or advance to the next one' },
  'command-not-allowed': { status: 403, remedy: 'run one of the commands the message names' },
  'address-refused': { status: 403, remedy: 'fetch from a host that the peripheral opens' },
  'path-held': {
    status: 409,
    remedy: 'work on something else, wait until the hold ends, or have a person say /release PATH',
  },
  'approval-required': { status: 403, remedy: 'leave it to a person: this peripheral asks for no approvals' },
  'approval-denied': { status: 403, remedy: 'do it another way, or ask the person who said no' },
  'approval-lapsed': { status: 403, remedy: 'ask again when somebody is there to answer' },
  'sandbox-missing': {
    status: 503,
    remedy: 'install bubblewrap: the message names the line; `bellhop doctor` checks it',
  },
  looping: { status: 429, remedy: 'do something else: a person was asked what' },
  'turn-stopped': { status: 409, remedy: 'end the turn: a person stopped it' },
  'hop-refused': { status: 409, remedy: 'bring about what the message names, or hop where it says' },
  'entry-refused': { status: 409, remedy: 'begin with a peripheral that leads there, as the message says' },
  'out-of-scope': { status: 403, remedy: 'stay inside the scope of the peripheral' },
  'budget-spent': {
    status: 429,
    remedy: 'ask for less in a new turn, or have the budget that the message names raised',
  },
  'gate-failed': { status: 500, remedy: 'look at the log in the data folder: a gate that fails refuses' },
  // approvals, stops and undo
  'approval-unknown': { status: 404, remedy: 'say /approvals for those that wait' },
  'approval-closed': { status: 409, remedy: 'none needed: it was decided before' },
  'turn-unknown': { status: 404, remedy: 'say /status for what is being worked on' },
  'session-busy': { status: 409, remedy: 'wait for the turn to end, or /stop it' },
  'nothing-to-undo': {
    status: 409,
    remedy: 'name a turn with turn=ID: /evidence event=snapshot-taken lists those that changed something',
  },
  'undo-conflict': {
    status: 409,
    remedy: 'look at the files the message names; force=yes puts them back all the same',
  },
  // Tickle: pages, and the work queue
  'page-unknown': { status: 404, remedy: 'say /pages for those that are open' },
  'page-closed': { status: 409, remedy: 'none needed: it was answered before' },
  'page-refused': { status: 409, remedy: 'leave it alone: only an agent at work is paged, and once for a silence' },
  'work-unknown': { status: 404, remedy: 'say /work list for what there is' },
  'work-refused': { status: 409, remedy: 'look at it with /work show, and do what the message names' },
  'source-missing': { status: 503, remedy: 'bring about what the message names, then ask again' },
  // the agent protocol
  'frame-invalid': { status: 400, remedy: 'send the frame as docs/agents.md has it' },
  'frames-exceeded': { status: 429, remedy: 'wait for answers before sending more' },
  'connections-exceeded': { status: 429, remedy: 'close connections that are not needed, then try again' },
  'reader-slow': { status: 429, remedy: 'connect again, read what comes, and subscribe to less' },
  'not-welcome': { status: 403, remedy: 'say hello, and answer the challenge with ready' },
  'invoke-unknown': { status: 404, remedy: 'answer an invoke that was sent to this agent' },
  // tokens
  'token-unknown': { status: 404, remedy: 'look it up with `bellhop token list`' },
  // the registry
  'agent-taken': { status: 409, remedy: 'stop the other holder of this id, or wait for its lease to lapse' },
  'credential-invalid': { status: 401, remedy: 'register with the secret of this instance' },
  'protocol-unsupported': { status: 400, remedy: 'speak the protocol version the message names' },
  'capabilities-missing': { status: 409, remedy: 'register with the capabilities the message names' },
  'challenge-stale': { status: 409, remedy: 'register again and answer the new challenge' },
  'probe-failed': { status: 409, remedy: 'mend what the probe names, then register again' },
  'lease-lapsed': { status: 409, remedy: 'register again' },
} as const satisfies Record<string, { status: number; remedy: string }>

export type RefusalCode = keyof typeof refusals
export const RefusalCode = z.enum(Object.keys(refusals) as [RefusalCode, ...RefusalCode[]])

export const Refusal = z.strictObject({
  code: RefusalCode,
  message: z.string(),
  remedy: z.string(),
  /** In how many seconds it can be tried again, where that is known. */
  wait: z.int().positive().optional(),
})
export type Refusal = z.infer<typeof Refusal>

/** A refusal with its sentence; the remedy follows from the code. */
export const refusal = (code: RefusalCode, message: string): Refusal => ({
  code,
  message,
  remedy: refusals[code].remedy,
})

const PASSING: ReadonlySet<string> = new Set([
  'draining',
  'store-full',
  'store-failed',
  'store-busy',
  'rate-exceeded',
  'queue-full',
])

/**
 * Whether it passes by itself, so that the same may well be taken later: the house goes down, cannot write just now, or was
 * asked for too much at once.
 */
export const isPassing = ({ code }: Pick<Refusal, 'code'>): boolean => PASSING.has(code)

const IN_CROWDS: ReadonlySet<string> = new Set(['rate-exceeded', 'queue-full', 'store-busy', 'id-conflict'])

/** Whether there are many alike where there is one: they are counted, and the first ones written down. */
export const comesInCrowds = ({ code }: Pick<Refusal, 'code'>): boolean => IN_CROWDS.has(code)

const UNWRITTEN: ReadonlySet<string> = new Set(['fenced', 'store-full', 'store-failed', 'store-busy'])

/** Whether something was not written because of the store, or of another worker: it can be written later as it is. */
export const canBeWrittenLater = ({ code }: Pick<Refusal, 'code'>): boolean => UNWRITTEN.has(code)
