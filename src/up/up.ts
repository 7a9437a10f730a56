import type { Readable, Writable } from 'node:stream'
import { createTerminal } from '../../adapters/terminal/index.ts'
import { createClient } from '../client/client.ts'
import { portOf } from '../client/port.ts'
import type { Settings } from '../house/parts.ts'
import { Problem } from '../lib/problem.ts'
import type { Result } from '../shapes/result.ts'
import { type Instance, startInstance } from './instance.ts'
import { linkOf } from './link.ts'

type Terminal = {
  input: Readable & { isTTY?: boolean }
  output: Writable & { isTTY?: boolean; columns?: number }
  colour: boolean
}

/** `bellhop up`: everything, until Ctrl-C; with a terminal, a room right there. Answers the exit code. */
export const up = async (settings: Settings, terminal: Terminal, ending: AbortController): Promise<number> => {
  const ends = ending.signal
  const say = (line: string) => terminal.output.write(`bellhop: ${line}\n`)
  const instance = await startInstance(settings, say)
  for (const line of await agentLines(instance)) say(line)
  // What is no terminal is kept: a journal, the log of a container. A token has no place there.
  const { isTTY = false } = terminal.output
  if (!isTTY) say(`the link that signs in: bellhop link --data ${settings.data}`)
  terminal.output.write(`ready  ${isTTY ? linkOf(instance.url, instance.secrets.operator) : instance.url}\n`)

  const over = new AbortController()
  const ended = new Promise<null>((resolve) => {
    ends.addEventListener('abort', () => resolve(null))
    if (ends.aborted) resolve(null)
  })
  const attended = terminal.input.isTTY && isTTY
  const rooms = attended
    ? [openRoom(instance.url, instance.secrets.admin, terminal, over.signal).then(() => null, asProblem)]
    : []
  const problem = await Promise.race([ended, instance.broken, ...rooms])
  over.abort()
  // Also where the room was left by a key: the next one is the second, and ends at once.
  ending.abort()
  await Promise.allSettled(rooms)
  say(problem ? `${problem.message}: ending the rest` : 'draining')
  await instance.stop()
  if (problem) throw problem
  say('everything that was started has ended')
  return 0
}

/** What there is to say of the agents: who only rehearses, who is not ready, and why. */
const agentLines = async ({ url, secrets }: Instance): Promise<string[]> => {
  const { agents } = answered(await createClient({ url, token: secrets.operator, face: 'cli' }).ask('who'))
  return agents.flatMap(({ id, readiness, reason, activity }) => {
    if (readiness === 'ready') return activity === undefined ? [] : [`${id} is ${activity}`]
    return [`${id} is not ready: ${reason ?? readiness}`]
  })
}

/** A room that cannot be opened ends the instance like anything else that breaks: in order. */
const asProblem = (error: Error): Problem =>
  error instanceof Problem
    ? error
    : new Problem(`the room could not be opened: ${error.message}`, 'start `bellhop up` again')

/** How much of what was said before is shown again. */
const RECALL = 60

const openRoom = async (
  url: string,
  token: string,
  { input, output, colour }: Terminal,
  signal: AbortSignal,
): Promise<void> => {
  const client = createClient({ url, token, face: 'terminal' })
  // The terminal shows the first room of the config.
  const { rooms } = answered(await client.ask('rooms'))
  const place = rooms[0]?.id ?? 'lobby'
  const { operations } = answered(await client.ask('help'))
  const { agents } = answered(await client.ask('who'))
  const { entries } = answered(await client.ask('evidence', { tag: [`room/${place}`], limit: RECALL }))
  const room = createTerminal({
    port: portOf(client),
    room: place,
    you: answered(await client.ask('whoami')),
    input,
    output,
    commands: operations.map(({ name }) => name),
    agents: agents.map(({ id }) => id),
    after: (entries.at(-1)?.position ?? 1) - 1,
    colour,
  })
  await room.run(signal)
}

const answered = <T>(answer: Result<T>): T => {
  if (answer.ok) return answer.value
  throw new Problem(answer.refusal.message, answer.refusal.remedy)
}
