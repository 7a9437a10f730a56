import { taggedIn } from '../evidence/drafts.ts'
import { count } from '../lib/count.ts'
import { oneLine } from '../lib/plain.ts'
import type { Presence } from '../shapes/agent.ts'
import type { Debrief, Findings } from '../shapes/debrief.ts'
import type { BodyOf, Entry, EventName } from '../shapes/evidence.ts'
import type { ToolCall } from '../shapes/peripheral.ts'
import type { Post } from '../shapes/post.ts'
import type { FileChange, StepOutcome } from '../shapes/turn.ts'

type View = Pick<Post, 'kind' | 'text'> & Partial<Pick<Post, 'turn' | 'step' | 'approval' | 'bulletin'>>
type Views = { [E in EventName]?: (body: BodyOf<E>, entry: Entry) => View | null }

/** What a room reads of an entry; null where there is nothing to read, also because its body was taken away. */
export const viewOf = (entry: Entry): View | null => {
  const look = views[entry.body?.event] as ((body: Entry['body'], entry: Entry) => View | null) | undefined
  return look?.(entry.body, entry) ?? null
}

/** How a room reads each event. What is not here is not shown: it says nothing that another entry does not. */
const views: Views = {
  message: ({ text }) => ({ kind: 'said', text }),
  answered: ({ answer }) => ({ kind: 'answer', text: answer }),
  refused: ({ refusal }) => ({ kind: 'refusal', text: `${refusal.message} [${refusal.code}]\n${refusal.remedy}` }),
  'mode-changed': ({ from, to }) => ({ kind: 'notice', text: `the room went from ${from} to ${to}` }),
  'profile-set': ({ to }) => ({
    kind: 'notice',
    text: to === null ? 'the room works as the config says' : `the room works ${to}`,
  }),
  'room-set': ({ setting, to }, { author }) => ({ kind: 'notice', text: `${author.id} ${settingText(setting, to)}` }),
  'mission-focused': ({ mission, by }) => ({
    kind: 'notice',
    text:
      mission === null ? `${words(by)} cleared the focus of the room` : `${words(by)} focused the room on ${mission}`,
  }),
  // patterns: what is proposed and declined is an answer, and a new one is a step
  'pattern-selected': ({ turn, pattern, why }, { author }) => ({
    kind: 'notice',
    turn,
    text: `${author.id} goes by the pattern ${pattern}: ${words(why)}`,
  }),
  'pattern-outcome': ({ turn, pattern, outcome, why }, { author }) => ({
    kind: 'notice',
    turn,
    text: `${author.id} says that the pattern ${pattern} ${outcome}: ${words(why)}`,
  }),
  'pattern-pivoted': ({ turn, from, to, instead, why }, { author }) => ({
    kind: 'notice',
    turn,
    text: `${author.id} leaves the pattern ${from}: ${words(why)}${to === null ? `; instead: ${words(instead ?? 'something else')}` : ''}`,
  }),
  'pattern-punctuated': ({ turn, worked, didNot, surprises, next }, { author }) => ({
    kind: 'notice',
    turn,
    text: `${author.id} ended a stretch: worked: ${words(worked)}; did not: ${words(didNot)}; surprises: ${words(surprises)}; next: ${words(next)}`,
  }),
  'pattern-retired': ({ turn, pattern, retired, why }) => ({
    kind: 'notice',
    turn,
    text: `the pattern ${pattern} is ${retired ? 'retired' : 'offered again'}: ${words(why)}`,
  }),
  'watch-set': ({ watched, on }, { author }) => ({
    kind: 'notice',
    text: `${author.id} has this room ${on ? 'watch' : 'no longer watch'} ${watched}`,
  }),
  'thread-bound': ({ network, channel }) => ({
    kind: 'notice',
    text: `this thread is ${words(channel)} on ${network}`,
  }),
  'delivery-noted': ({ network, channel, about, post, text }) =>
    about === 'failed'
      ? { kind: 'notice', text: `NOT said in ${words(channel)} on ${network}: ${post ?? 'a post'}: ${words(text)}` }
      : null,
  'network-noted': ({ network, state, detail }) => ({
    kind: 'notice',
    text: `${network} is ${state}${detail === '' ? '' : `: ${words(detail)}`}`,
  }),
  merged: ({ agent, into, files, conflicts }, { author }) => ({
    kind: 'notice',
    text:
      into === null
        ? `what ${agent} did could not be merged: conflicts in ${words(conflicts.join(', '))}`
        : `${author.id} merged what ${agent} did: ${count(files.length, 'file')}`,
  }),
  'file-brought': ({ path, bytes }, { author }) => ({
    kind: 'notice',
    text: `${author.id} brought ${path} (${count(bytes, 'byte')})`,
  }),
  'thread-started': ({ agent, name, from }) => ({
    kind: 'notice',
    text: `a thread with ${agent}${name === '' ? '' : `: ${words(name)}`}${from ? `, from ${from.turn ?? from.thread}` : ''}`,
  }),
  // undertakings: what came of a cycle, and no more of it
  'cycle-begun': ({ undertaking, n, item }) => ({ kind: 'notice', text: `${undertaking}: cycle ${n} on ${item}` }),
  'cycle-ended': ({ undertaking, n, outcome, why, paths }) => ({
    kind: 'notice',
    text:
      outcome === 'completed'
        ? `${undertaking}: cycle ${n} is completed: ${paths.map(({ item, status }) => `${item} is ${status}`).join(', ') || 'nothing has changed'}`
        : `${undertaking}: cycle ${n} was given up: ${words(why)}`,
  }),
  'thread-archived': ({ archived }) => ({ kind: 'notice', text: archived ? 'archived' : 'open again' }),
  bulletin: ({ kind, text, situation }) => ({ kind: 'notice', text, bulletin: { kind, situation } }),
  debriefed: ({ debrief }) => debriefView(debrief),
  asked: ({ text }) => ({ kind: 'said', text: `asks: ${text}` }),
  supposed: ({ text }) => ({ kind: 'said', text: `supposes: ${text}` }),
  concluded: ({ text }) => ({ kind: 'said', text: `concludes: ${text}` }),
  corrected: ({ text }) => ({ kind: 'said', text: `corrects: ${text}` }),
  'session-closed': ({ reason }) => ({ kind: 'notice', text: `session closed: ${reason}` }),
  accepted: ({ agent, peripheral }, { id }) => ({
    kind: 'accepted',
    turn: id,
    text: `${agent} has it, in ${peripheral}`,
  }),
  // bells and whistles: what was said is a line of the room already
  'bell-rung': ({ from, to, job, crosses }) =>
    crosses === null
      ? null
      : { kind: 'notice', turn: job, text: `${from} and ${to} rang for each other: this bell crosses ${crosses}` },
  'bell-answered': ({ job, told, why }) =>
    told === 'kept' && why !== ''
      ? { kind: 'notice', turn: job, text: `nobody was told by a bell: ${words(why)}` }
      : null,
  parked: ({ turn, jobs, until }, { author }) => ({
    kind: 'notice',
    turn,
    text: `${author.id} waits for ${words(jobs.join(', '))} until ${until}`,
  }),
  'queue-paused': ({ agent, paused, why }, { author }) => ({
    kind: 'notice',
    text: paused ? `${author.id} paused ${agent}${because(why)}` : `${author.id} let ${agent} go on`,
  }),
  'turn-amended': ({ turn, request }) => ({ kind: 'said', turn, text: `asks instead: ${request}` }),
  'turn-started': ({ turn }) => ({ kind: 'working', turn, text: 'is at work' }),
  'step-intended': ({ turn, step, call }) => ({
    kind: 'step',
    turn,
    step: { id: step, state: 'running' },
    text: callText(call),
  }),
  'step-ended': ({ turn, step, tool, outcome }) => ({
    kind: 'step',
    turn,
    step: { id: step, state: outcome.kind },
    text: `${tool}: ${summaryOf(outcome)}`,
  }),
  'step-refused': ({ turn, step, call, refusal }) => ({
    kind: 'step',
    turn,
    step: { id: step, state: 'refused' },
    text: `${callText(call)}: ${refusal.message} [${refusal.code}]`,
  }),
  'approval-asked': ({ turn, step, approval, call, opens, why, until }, { id }) => ({
    kind: 'approval',
    turn,
    step: { id: step, state: 'running' },
    approval: { name: approval, state: 'open', until },
    text: [`asks to ${oneLine(opens, ASKED_LENGTH)}`, oneLine(why, ASKED_LENGTH), askedCall(call, id)].join('\n'),
  }),
  'approval-decided': ({ step, approval, decision, note }) => ({
    kind: 'approval',
    step: { id: step, state: 'running' },
    approval: { name: approval, state: decision, until: null },
    text: `${DECIDED[decision](approval)}${because(note)}`,
  }),
  'stop-asked': ({ turn, why, step, queued }, { author, tags }) => {
    const what = queued ? `took a turn of ${agentIn(tags)} out of the line` : `told ${agentIn(tags)} to stop`
    return { kind: 'notice', turn, text: `${author.id} ${step === undefined ? what : 'gave a step up'}${because(why)}` }
  },
  steered: ({ turn, text, page }) => (page === undefined ? { kind: 'said', turn, text: `adds: ${text}` } : null),
  'peripheral-stopped': ({ turn, peripheral, to, when }, { author }) =>
    to === undefined
      ? null
      : { kind: 'notice', turn, text: `${author.id} hops from ${peripheral} to ${to}${when ? ` (${when})` : ''}` },
  reviewed: ({ turn, worked, didNot, next }, { author }) => ({
    kind: 'notice',
    turn,
    text: `${author.id} reviewed the session: worked: ${words(worked)}; did not: ${words(didNot)}; next: ${words(next)}`,
  }),
  verified: ({ ok, violations }, { session }) =>
    ok ? null : { kind: 'notice', text: `VERIFY FAILED: ${violationText(violations)}; say /verify ${session}` },
  restored: ({ what, files, failed }, { author }) => ({
    kind: 'notice',
    text: `${author.id} put back ${what}: ${count(files.length, 'file')}${failed === null ? '' : `; NOT put back: ${failed}`}`,
  }),
  'agent-said': ({ turn, text }) => ({ kind: 'aside', turn, text }),
  'turn-noted': ({ turn, text }, { tags }) => ({ kind: 'notice', turn, text: `${agentIn(tags)} ${text}` }),
  'turn-ended': ({ turn, answer }) => ({ kind: 'answer', turn, text: answer }),
  presence: ({ agent }) => ({
    kind: 'notice',
    text: `${agent.id} is ${standing(agent)}${agent.reason ? `: ${agent.reason}` : ''}`,
  }),
  // Tickle: what it gives out is said for a person, and what they answer to commands is an answer
  paged: ({ turn, name, agent, why }) => ({ kind: 'notice', turn, text: `page ${name}: ${agent}: ${words(why)}` }),
  'page-acknowledged': ({ turn, name, agent, escalated }) =>
    escalated ? { kind: 'notice', turn, text: `page ${name}: ${agent} goes on, or somebody looks after it` } : null,
  'page-escalated': ({ turn, name, agent, why }) => ({
    kind: 'notice',
    turn,
    text: `page ${name}: ${words(why)}: /steer agent=${agent} TEXT says more to it, /stop ${agent} ends it, /ack ${name} lets it be`,
  }),
  'approval-reminded': ({ turn, approval, agent, opens, until }) => ({
    kind: 'notice',
    turn,
    text: `${approval} still waits: ${agent} asks to ${words(opens)}; /approve ${approval} or /deny ${approval} until ${until}`,
  }),
  'work-judged': ({ work, why, people }) =>
    people
      ? { kind: 'notice', text: `${work} waits for a person: ${words(why)}: /work judge ${work} approve|changes WHY` }
      : null,
  'work-returned': ({ work, why, people, afresh }) => {
    if (afresh) return null
    return {
      kind: 'notice',
      text: people
        ? `${work} waits for a person: ${words(why)}: /work retry ${work} or /work drop ${work}`
        : `${work} is back in the queue: ${words(why)}`,
    }
  },
  'work-ended': ({ work, title, outcome, why }) =>
    outcome === 'done' ? { kind: 'notice', text: `${work} is done: ${words(title)} (${words(why)})` } : null,
  // the text world: a move is told by its step
  'world-begun': ({ game, by, task, turn }) => ({
    kind: 'notice',
    turn,
    text: `${by} begins the game ${game}: ${words(task)}`,
  }),
  'world-won': ({ game, n, player, task }) => ({
    kind: 'notice',
    text: `${game} is won by ${player} with move ${n}: ${words(task)}`,
  }),
}

/** One line, where there is something to learn; all of it is a command away. */
const debriefView = ({ session, worked, didNot, surprises, suggestions }: Debrief): View | null => {
  const [first] = suggestions.shown
  if (!first && didNot.shown.length === 0 && surprises.shown.length === 0) return null
  const sizes = `${sizeIn(worked)} worked, ${sizeIn(didNot)} did not, ${count(sizeIn(surprises), 'surprise')}`
  return { kind: 'notice', text: `debrief: ${sizes}${first ? `; ${words(first.says)}` : ''}; say /debrief ${session}` }
}

const sizeIn = ({ shown, more }: Findings): number => shown.length + more

const settingText = (setting: string, to: string | null): string => {
  if (to === null) return `set ${setting} back to what the config says`
  if (setting !== 'listener') return `set ${setting} to ${words(to)}`
  return to === 'nobody' ? 'gated the room: agents hear what names them' : `has ${words(to)} hear all that is said here`
}

/** Who has registered and gives a reason is not ready, which is what people want to know. */
const standing = ({ readiness, reason }: Pick<Presence, 'readiness' | 'reason'>): string =>
  readiness === 'registered' && reason !== null ? 'not ready' : readiness

const CALL_LENGTH = 160

/** A call on one line; the evidence has it whole. */
const callText = ({ tool, args }: ToolCall, length = CALL_LENGTH): string => {
  const text = `${oneLine(tool, TOOL_LENGTH)} ${unhidden(JSON.stringify(args).slice(0, length))}`
  return text.length > length ? `${text.slice(0, length).replace(/\p{Cs}$/u, '')}…` : text
}

const TOOL_LENGTH = 40
const ASKED_LENGTH = 1000

/** Whoever is asked to approve a call sees more of it than whoever looks on, and where to see the rest. */
const askedCall = (call: ToolCall, entry: string): string => {
  const text = callText(call, ASKED_LENGTH)
  return text.endsWith('…') ? `${text} whole: /show ${entry}` : text
}

/** JSON in which nothing is invisible or turns the reading order around: who approves a call reads what will run. */
const unhidden = (json: string): string =>
  json.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) =>
    Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
  )

/** What was decided of an approval, as its author would be said to have done it. */
const DECIDED: Record<BodyOf<'approval-decided'>['decision'], (approval: string) => string> = {
  approved: (approval) => `approved ${approval}`,
  denied: (approval) => `denied ${approval}`,
  lapsed: (approval) => `let ${approval} lapse`,
}

const because = (note: string): string => (note === '' ? '' : `: ${oneLine(note, ASKED_LENGTH)}`)

/** The agent whose session an entry is of. */
const agentIn = (tags: readonly string[]): string => taggedIn(tags, 'agent') ?? 'the agent'

const WORDS_LENGTH = 200

const words = (text: string): string => oneLine(text, WORDS_LENGTH)

const violationText = ([first, ...rest]: BodyOf<'verified'>['violations']): string => {
  if (!first) return 'it does not say why'
  const more = rest.length === 0 ? '' : `, and ${rest.length} more`
  return `${first.what} [${first.rule}] at ${first.entry}${more}`
}

/** The first line says how a step went; the others are what it said. */
const summaryOf = (outcome: StepOutcome): string => {
  if (outcome.kind === 'interrupted') return outcome.message
  const { output = '', files = [], cut } = outcome
  const how = [outcome.kind === 'failed' ? outcome.message : sizeOf(output), ...changesIn(files)].join(', ')
  const hint = outcome.kind === 'failed' ? (outcome.hint ?? '') : ''
  return [`${how}${cut ? ` (${cut})` : ''}`, output, hint].filter((part) => part !== '').join('\n')
}

const sizeOf = (output: string): string =>
  output === '' ? 'nothing' : count(output.replace(/\n$/, '').split('\n').length, 'line')

const PATH_LENGTH = 80

/** What a step did to files: to which one, or to how many, and by how many lines. */
const changesIn = (files: readonly FileChange[]): string[] => {
  const [first, ...rest] = files
  if (!first) return []
  const sum = (of: 'added' | 'removed') => files.reduce((total, file) => total + (file[of] ?? 0), 0)
  const what = rest.length === 0 ? oneLine(first.path, PATH_LENGTH) : count(files.length, 'file')
  return [`changed ${what} +${sum('added')} -${sum('removed')}`]
}
