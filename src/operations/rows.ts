import { count } from '../lib/count.ts'
import { oneLine } from '../lib/plain.ts'
import type { BodyOf, Entry, EventName } from '../shapes/evidence.ts'

type Summaries = { [E in EventName]: (body: BodyOf<E>) => string }

const call = ({ tool, args }: { tool: string; args: unknown }): string => `${tool} ${JSON.stringify(args)}`

/** What an entry says, in a few words. */
const summaries: Summaries = {
  message: ({ text }) => text,
  answered: ({ operation, answer }) => `${operation}: ${answer}`,
  heard: () => '',
  dropped: ({ refusal }) => `${refusal.code}: ${refusal.message}`,
  assigned: ({ assignments }) => assignments.map(({ agent, peripheral }) => `${agent} in ${peripheral}`).join(', '),
  refused: ({ refusal }) => `${refusal.code}: ${refusal.message}`,
  'mode-changed': ({ from, to }) => `${from} to ${to}`,
  'profile-set': ({ from, to }) => `${from ?? 'none'} to ${to ?? 'none'}`,
  'room-set': ({ setting, to }) => `${setting} ${to ?? 'as the config says'}`,
  // missions
  'mission-focused': ({ mission, by }) => `${by}: ${mission ?? 'none'}`,
  'file-brought': ({ path, bytes, hash }) => `${path}, ${bytes} bytes, ${hash.slice(0, 12)}`,
  'todo-added': ({ text, by }) => `${by}: ${text}`,
  'todo-done': ({ todo, by }) => `${by}: ${todo}`,
  'portfolio-reviewed': ({ snapshot }) => count(snapshot.missions.length, 'mission'),
  // patterns
  'pattern-selected': ({ pattern, why, over }) =>
    `${pattern}: ${why}${over.length === 0 ? '' : `; over ${over.map((one) => one.pattern).join(', ')}`}`,
  'pattern-outcome': ({ pattern, outcome, why }) => `${pattern} ${outcome}: ${why}`,
  'pattern-pivoted': ({ from, to, instead, why }) => `${from} to ${to ?? instead ?? 'nothing'}: ${why}`,
  'pattern-punctuated': ({ worked, didNot, solution }) =>
    `worked: ${worked}; did not: ${didNot}${solution === null ? '' : `; solution: ${solution}`}`,
  'pattern-added': ({ pattern, path }) => `${pattern}: ${path}`,
  'pattern-retired': ({ pattern, retired, why }) => `${pattern} ${retired ? 'is retired' : 'is back'}: ${why}`,
  'pattern-declined': ({ kind, pattern, by, why }) => `${by}: ${kind} ${pattern}: ${why}`,
  'watch-set': ({ watched, on }) => `${on ? 'watches' : 'no longer watches'} ${watched}`,
  'thread-bound': ({ thread, network, channel }) => `${channel} on ${network} leads to ${thread}`,
  merged: ({ agent, files, conflicts }) =>
    conflicts.length > 0 ? `${agent}: conflicts in ${conflicts.join(', ')}` : `${agent}: ${files.join(', ')}`,
  'thread-started': ({ name, agent, from }) =>
    `${name || 'a thread'} with ${agent}${from ? `, from ${from.turn ?? from.thread}` : ''}`,
  'thread-archived': ({ archived }) => (archived ? 'archived' : 'open again'),
  bulletin: ({ kind, text }) => `${kind}: ${text}`,
  debriefed: ({ debrief }) =>
    `${debrief.session}: ${debrief.worked.shown.length} worked, ${debrief.didNot.shown.length} did not`,
  asked: ({ text }) => text,
  supposed: ({ text }) => text,
  concluded: ({ text }) => text,
  corrected: ({ text }) => text,
  'session-opened': ({ agent, room }) => `${agent} in ${room}`,
  'session-closed': ({ reason }) => reason,
  accepted: ({ request, peripheral }) => `${peripheral}: ${request}`,
  // bells and whistles
  'bell-rung': ({ from, to, act, text, crosses }) =>
    `${from} for ${to}, ${act}: ${text}${crosses === null ? '' : `; crosses ${crosses}`}`,
  'bell-answered': ({ bell, outcome, told, why }) => `${bell} ${outcome}, ${told}${why === '' ? '' : `: ${why}`}`,
  parked: ({ jobs, until }) => `${jobs.join(', ')} until ${until}`,
  'queue-paused': ({ agent, paused, why }) => `${agent} ${paused ? `is paused: ${why}` : 'goes on'}`,
  'turn-amended': ({ request }) => request,
  'turn-started': ({ turn }) => turn,
  'peripheral-started': ({ peripheral, tools }) => `${peripheral} with ${tools.join(', ')}`,
  'step-refused': ({ call: asked, refusal }) => `${call(asked)}: ${refusal.message}`,
  'step-intended': ({ call: asked }) => call(asked),
  'step-ended': ({ tool, outcome }) =>
    `${tool} ${outcome.kind}: ${outcome.kind === 'ok' ? outcome.paths.join(', ') || outcome.output : outcome.message}`,
  'peripheral-stopped': ({ peripheral, fruit, to }) =>
    `${peripheral} after ${fruit.steps} steps${to === undefined ? '' : `, to ${to}`}`,
  'snapshot-taken': ({ tree }) => tree,
  'approval-asked': ({ approval, opens, why }) => `${approval}: ${opens}: ${why}`,
  'approval-decided': ({ approval, decision, note }) => `${approval} ${decision} ${note}`,
  'stop-asked': ({ turn, why }) => `${turn} ${why}`,
  steered: ({ text }) => text,
  reviewed: ({ worked, didNot, next }) => `worked: ${worked}; did not: ${didNot}; next: ${next}`,
  verified: ({ ok, through, violations }) =>
    ok ? `whole up to ${through}` : violations.map(({ entry, what }) => `${entry} ${what}`).join('; '),
  restoring: ({ what, files }) => `${what}: ${files.map(({ path }) => path).join(', ')}`,
  restored: ({ what, files, failed }) => failed ?? `${what}: ${files.map(({ path }) => path).join(', ')}`,
  'wall-declared': ({ peripheral, hash }) => `${peripheral} ${hash.slice(0, 12)}`,
  'turn-ended': ({ outcome, answer }) => `${outcome}: ${answer}`,
  instructed: ({ text }) => text,
  'turn-briefed': ({ text }) => text,
  'conversation-opened': ({ runner, version, model, why }) =>
    `${why}: ${runner} ${version}${model === null ? '' : ` with ${model}`}`,
  'agent-said': ({ text }) => text,
  'turn-noted': ({ about, text }) => `${about}: ${text}`,
  'usage-noted': ({ model, usage, usd }) =>
    `${model ?? 'a model'}: ${usage.input + usage.cached + usage.written} in, ${usage.output} out${usd === null ? '' : `, $${usd}`}`,
  digested: ({ digest }) => `${digest.session} up to ${digest.through}`,
  compacted: ({ bodies, bytes }) => `${bodies} bodies, ${bytes} bytes`,
  'token-minted': ({ name, label, grant }) =>
    `${name} ${label}: ${grant.kind === 'agent' ? `${grant.agent} in ${grant.room}` : `${grant.name}, ${grant.role}`}`,
  'token-revoked': ({ name, why }) => `${name} ${why}`,
  'pair-offered': ({ person, role, expires }) => `${person}, ${role}, until ${expires}`,
  paired: ({ person, identity }) => `${identity} is ${person}`,
  'signed-in': ({ person, role, name }) => `${person}, ${role}, by the token ${name}`,
  unpaired: ({ person, identity }) => `${identity} is ${person} no longer`,
  'delivery-noted': ({ network, channel, about, position, text }) =>
    `${about}: ${channel} on ${network}, up to ${position}${text === '' ? '' : `: ${text}`}`,
  'network-noted': ({ network, state, detail }) => `${network} ${state}: ${detail}`,
  'tool-seen': ({ server, tool, nth, hash }) => `${server}.${tool} ${hash.slice(0, 12)}, its description ${nth}`,
  'tool-pinned': ({ server, tool, hash }) => `${server}.${tool} ${hash.slice(0, 12)}`,
  presence: ({ agent }) => `${agent.id} is ${agent.readiness}`,
  // undertakings
  'undertaking-opened': ({ undertaking, title }) => `${undertaking}: ${title}`,
  'undertaking-taken': ({ undertaking, session }) => `${undertaking} by ${session}`,
  'statement-set': ({ undertaking, version, text }) => `${undertaking}, version ${version}: ${text}`,
  'item-set': ({ undertaking, item }) => `${undertaking}: ${item.id} is ${item.status}: ${item.text}`,
  'item-classified': ({ undertaking, classified }) =>
    `${undertaking}: ${classified.item} would be ${classified.status}`,
  'cycle-begun': ({ undertaking, n, item }) => `${undertaking}: cycle ${n} on ${item}`,
  'cycle-moved': ({ undertaking, n, from, to, why }) =>
    `${undertaking}: cycle ${n} from ${from} to ${to}${why === undefined ? '' : `: ${why}`}`,
  'approach-failed': ({ undertaking, failed }) =>
    `${undertaking}: on ${failed.item}: ${failed.approach}: ${failed.why}`,
  'cycle-ended': ({ undertaking, n, outcome, why }) =>
    `${undertaking}: cycle ${n} ${outcome}${why === '' ? '' : `: ${why}`}`,
  'proof-mode-moved': ({ undertaking, from, to }) => `${undertaking}: ${from} to ${to}`,
  'licence-given': ({ undertaking, licence }) => `${undertaking}: ${licence.item} until ${licence.until}`,
  'licence-ended': ({ undertaking, item, why }) => `${undertaking}: ${item}: ${why}`,
  'undertaking-saved': ({ undertaking, file }) => `${undertaking}: ${file.path}`,
  // Tickle
  'tickle-cycled': ({ agents, did }) =>
    [...did, ...agents.map(({ agent, state }) => `${agent} is ${state}`)].join('; '),
  paged: ({ name, agent, why }) => `${name}: ${agent}: ${why}`,
  'page-acknowledged': ({ name, agent }) => `${name}: ${agent}`,
  'page-escalated': ({ name, agent, why }) => `${name}: ${agent}: ${why}`,
  'approval-reminded': ({ approval, agent, until }) => `${approval}: ${agent}, until ${until}`,
  'work-added': ({ work, title, priority }) => `${work}, ${priority}: ${title}`,
  'work-given': ({ work, phase, round, agent }) => `${work} to ${agent}: ${phase}, round ${round}`,
  'work-judged': ({ work, verdict, why }) => `${work} ${verdict}: ${why}`,
  'work-returned': ({ work, why }) => `${work}: ${why}`,
  'work-ended': ({ work, outcome, why }) => `${work} ${outcome}: ${why}`,
  // the text world
  'world-begun': ({ game, kind, task }) => `${game}, ${kind}: ${task}`,
  'world-moved': ({ game, n, player, action }) => `${game} ${n}: ${player}: ${action}`,
  'world-won': ({ game, n, player }) => `${game} by ${player}, with move ${n}`,
}

const summaryOf = ({ body }: Entry): string => {
  const say = summaries[body?.event] as ((body: Entry['body']) => string) | undefined
  return say ? say(body) : '(body not kept)'
}

const WIDTH = 80

/** Entries as a table: when, who, what, in a few words, and the id to ask further with. */
export const tableOf = (entries: readonly Entry[], lead: (entry: Entry) => string = () => ''): string => {
  const rows = entries.map((entry) => [
    `${entry.at.slice(0, 10)} ${entry.at.slice(11, 19)}`,
    oneLine(entry.author.id, 20),
    `${lead(entry)}${entry.body?.event ?? entry.type}`,
    oneLine(summaryOf(entry), WIDTH),
    entry.id,
  ])
  const widths = [0, 1, 2].map((i) => Math.max(...rows.map((row) => [...(row[i] ?? '')].length)))
  return rows
    .map(([at = '', author = '', event = '', what = '', id = '']) =>
      [at, pad(author, widths[1]), pad(event, widths[2]), what === '' ? `[${id}]` : `${what} [${id}]`].join('  '),
    )
    .join('\n')
}

const pad = (text: string, width = 0): string => text + ' '.repeat(Math.max(0, width - [...text].length))
