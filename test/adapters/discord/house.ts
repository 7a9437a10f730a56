import type { Line, NetworkPort, NetworkState, Question } from '../../../src/chat/port.ts'
import type { Command } from '../../../src/shapes/command.ts'
import type { Receipt } from '../../../src/shapes/message.ts'
import type { Refusal } from '../../../src/shapes/refusal.ts'
import { ok, type Result, refused } from '../../../src/shapes/result.ts'
import { COMMANDS } from './commands.ts'

/** What the house says to a line: part of a receipt, or a refusal; it may take its time, or not be reached at all. */
type Answering = (line: Line) => Partial<Receipt> | Refusal | Promise<Partial<Receipt> | Refusal>

export type HouseOptions = {
  channels: Record<string, string>
  /** What an adapter before this one remembered. */
  memory?: Map<string, string>
  commands?: readonly Command[]
}

export type House = ReturnType<typeof createHouse>

/** A house of which there is only the port, and which does what a test says. */
export const createHouse = ({ channels, memory = new Map(), commands = COMMANDS }: HouseOptions) => {
  const led = new Map(Object.entries(channels))
  const heard: Line[] = []
  const attempts: Line[] = []
  const known = new Map<string, Result<Receipt>>()
  const states: NetworkState[] = []
  const drops: { code: string; message: string; who: string }[] = []
  const logs: string[] = []
  let answer: Answering = () => ({})
  let look = (_question: Question): unknown => ({})

  const hear = async (line: Line): Promise<Result<Receipt>> => {
    const said = await answer(line)
    const blank: Receipt = { message: line.id, room: line.room, mode: 'coordination', assignments: [], answer: null }
    const result: Result<Receipt> = 'code' in said ? refused(said) : ok({ ...blank, ...said })
    heard.push(line)
    known.set(line.id, result)
    // What was bound is known a moment later.
    const { thread, channel } = (line.command?.name === 'bind' ? line.command.input : {}) as Record<string, string>
    if (thread && channel && result.ok) setTimeout(() => led.set(channel, thread), 20)
    return result
  }

  const port: NetworkPort = {
    network: 'discord',
    say: async (line) => {
      attempts.push(line)
      return known.get(line.id) ?? hear(line)
    },
    follow: async () => undefined,
    ask: async (question) => ok(look(question)),
    roomOf: (channel) => led.get(channel) ?? null,
    channels: () => [...led].map(([channel, room]) => ({ channel, room })),
    commands,
    agents: async () => [
      { id: 'claude-1', type: 'claude' },
      { id: 'codex-1', type: 'codex' },
    ],
    drop: ({ code, message }, who) => void drops.push({ code, message, who }),
    linkTo: ({ room, id }) => `https://bellhop.example/${room}/${id}`,
    memory: { get: async (key) => memory.get(key) ?? null, set: async (key, value) => void memory.set(key, value) },
    report: (state) => void states.push(state),
    log: (message) => void logs.push(message),
  }

  return {
    port,
    /** Lines that were taken, once each, and every time one was said. */
    heard: heard as readonly Line[],
    attempts: attempts as readonly Line[],
    states: states as readonly NetworkState[],
    drops: drops as readonly { code: string; message: string; who: string }[],
    logs: logs as readonly string[],
    memory,
    answerWith: (next: Answering): void => {
      answer = next
    },
    lookWith: (next: (question: Question) => unknown): void => {
      look = next
    },
    bind: (channel: string, room: string): void => void led.set(channel, room),
  }
}
